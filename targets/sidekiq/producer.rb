# The web application in front of Sidekiq: it pushes jobs, and reads from Redis what became of them.

require_relative "app"
require "serve"
require_relative "once"
require_relative "state"

THREADS = 16

Sidekiq.redis = redis_options(size: THREADS, pool_timeout: KNOBS.network_timeout)
Sidekiq.options[:on_complex_arguments] = :raise

# Redis was not reached, or read the command and refused it: out of memory, read-only, still loading.
NOT_THERE = [Redis::CannotConnectError, Redis::CommandError, ConnectionPool::TimeoutError].freeze

# One LPUSH for all jobs of a request, so they share what becomes of them.
def enqueue(jobs)
  options = {"retry" => KNOBS.retry, "dead" => KNOBS.dead}
  Sidekiq::Client.push_bulk("class" => JOB_CLASS, "queue" => QUEUE, "args" => jobs.map { |job| [job] }, **options)
  jobs.map { |job| Kit.acked(job) }
rescue *NOT_THERE => error
  jobs.map { |job| Kit.rejected(job, error) }
rescue Redis::BaseError => error
  jobs.map { |job| Kit.unknown(job, error) }
end

Once.create_table if KNOBS.idempotency == "unique"
Kit.serve(enqueue: method(:enqueue), state: State.method(:counts), held: State.method(:held))
