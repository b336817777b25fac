# Dead letters: the set `dead`, and that of jobs whose workers died too often. Both are kept by Sidekiq's own API.

require "sidekiq/api"
require "sidekiq/interrupted_set"

module Letters
  def self.list = entries.map { |entry| letter(entry) }

  # Sidekiq takes one from retry_count: a job that is out of retries has one attempt more.
  def self.replay(ids) = among(ids).each(&:retry).map(&:jid)

  def self.discard(ids) = among(ids).each(&:delete).map(&:jid)

  def self.among(ids) = entries.select { |entry| ids.include?(entry.jid) }

  def self.entries = [Sidekiq::DeadSet, Sidekiq::InterruptedSet].flat_map { |set| set.new.to_a }

  # What an entry lacks is left out.
  def self.letter(entry)
    {
      id: entry.jid, key: entry.args[0]["key"], payload: entry.args[0], attempts: attempts(entry),
      error: entry["error_class"]&.then { |name| Kit.class_of(name) }, message: entry["error_message"],
      died: entry.score,
    }.compact
  end

  # Retries are counted from 0, and interruptions apart from them.
  def self.attempts(entry)
    return unless entry["retry_count"] || entry["interrupted_count"]

    entry.item.fetch("retry_count", -1) + 1 + entry["interrupted_count"].to_i
  end
end
