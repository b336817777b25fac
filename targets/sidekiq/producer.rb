# The web application in front of Sidekiq: it pushes jobs, and reads from Redis what became of them.

require_relative "app"
require "serve"
require "once"
require_relative "letters"
require_relative "state"
require_relative "unique_for"

THREADS = 16
WAIT = KNOBS.client_reconnect_delay

Sidekiq.redis = redis_options(
  attempts: KNOBS.client_reconnect_attempts, reconnect_delay: WAIT, reconnect_delay_max: WAIT,
  size: THREADS, pool_timeout: KNOBS.pool_timeout,
)
Sidekiq.options[:on_complex_arguments] = :raise
Sidekiq.client_middleware { |chain| chain.add UniqueFor } unless KNOBS.unique_for.zero?

# Redis was not reached, or read the command and refused it: out of memory, read-only, still loading.
NOT_THERE = [Redis::CannotConnectError, Redis::CommandError, ConnectionPool::TimeoutError].freeze

# One push for neighbours that are delayed, or are not: Sidekiq looks at the first, and puts the rest in the same place.
def enqueue(jobs)
  jobs.chunk_while { |one, next_one| one.key?("delay") == next_one.key?("delay") }.flat_map { |alike| push(alike) }
end

# One LPUSH or ZADD for all of these jobs, so they share what becomes of them.
def push(jobs)
  items = {"class" => JOB_CLASS, "queue" => QUEUE, "args" => jobs.map { |job| [job] }}
  items["at"] = jobs.map { |job| Time.now.to_f + job["delay"] } if jobs.first.key?("delay")
  Sidekiq::Client.push_bulk({**items, "retry" => KNOBS.retry, "dead" => KNOBS.dead})
  jobs.map { |job| Kit.acked(job) }
rescue *NOT_THERE => error
  jobs.map { |job| Kit.rejected(job, error) }
rescue Redis::BaseError => error
  jobs.map { |job| Kit.unknown(job, error) }
end

Kit::Once.create_table if KNOBS.idempotency == "unique"
Kit.serve(enqueue: method(:enqueue), state: State.method(:counts), held: State.method(:held), letters: Letters)
