# What Sidekiq still holds, read from Redis in one step: jobs move about, and none may be missed on its way.
module State
  SETS = {"retry" => "delayed", "schedule" => "delayed", "dead" => "dead", "interrupted" => "dead"}.freeze
  KEYS = ["queue:#{QUEUE}", *SETS.keys].freeze

  # Pairs of a place and what is there. A reliable fetch has a list of the jobs in hand for each worker.
  READ = <<~LUA.freeze
    local counting = ARGV[1] == "count"
    local function list(key) return counting and redis.call("LLEN", key) or redis.call("LRANGE", key, 0, -1) end
    local function set(key) return counting and redis.call("ZCARD", key) or redis.call("ZRANGE", key, 0, -1) end
    local found = {{"queued", list(KEYS[1])}}
    for _, key in ipairs(redis.call("KEYS", "working:queue:*")) do found[#found + 1] = {"active", list(key)} end
    for n = 2, #KEYS do found[#found + 1] = {ARGV[n], set(KEYS[n])} end
    return found
  LUA

  # A plain fetch keeps no record of the jobs in hand, so it has no count of them.
  def self.counts
    counts = Hash.new(0)
    counts["active"] = 0 unless KNOBS.fetch == "basic"
    read("count").each { |where, count| counts[where] += count }
    counts
  end

  def self.held
    read("list").flat_map { |where, payloads| payloads.map { |payload| {key: key_of(payload), where: where} } }
  end

  def self.read(what)
    Sidekiq.redis { |redis| redis.eval(READ, KEYS, [what, *SETS.values]) }
  end

  # The key of the job, which is its first argument.
  def self.key_of(payload) = JSON.parse(payload)["args"][0]["key"]
end
