# The job, and the middleware that records its attempts.

require "once"

ATTEMPTS = Kit::Attempts.new
HANDLER = Kit::Handler.new

class HarnessJob
  include Sidekiq::Worker
  sidekiq_options retry: KNOBS.retry, dead: KNOBS.dead

  attr_accessor :run

  def perform(job)
    Kit::Once.call(job["key"]) { |first| first ? HANDLER.call(job, run) : run.dedup }
  end
end

# Sidekiq counts retries only: a job that is fetched again after a crash has the attempt number that it had before.
class RecordAttempts
  def call(worker, payload, _queue, &handler)
    attempt = payload.fetch("retry_count", -1) + 2
    again = attempt > 1 || payload.key?("interrupted_count")
    ATTEMPTS.run(payload["args"][0]["key"], attempt, last: attempt > payload["retry"], again: again) do |run|
      worker.run = run
      handler.call
    end
  end
end
