# One job of a key for so long, done or not: `unique_for` of Sidekiq Enterprise, as a team without it writes it.
# A job whose push fails after this leaves its lock: whoever tries again is told that it is there, and it is not.
class UniqueFor
  def call(_class, item, _queue, pool)
    lock = "unique:#{item["args"][0]["key"]}"
    free = pool.with do |redis|
      redis.set(lock, item["jid"], nx: true, ex: KNOBS.unique_for.ceil) || redis.get(lock) == item["jid"]
    end
    free && yield
  end
end
