# The job, and the middleware that records its attempts.

require_relative "once"

ATTEMPTS = Kit::Attempts.new
DOWNSTREAM = Kit::Downstream.new(KNOBS.downstream_timeout)

class HarnessJob
  include Sidekiq::Worker
  sidekiq_options retry: KNOBS.retry, dead: KNOBS.dead
  sidekiq_options max_retries_after_interruption: KNOBS.max_retries_after_interruption

  attr_accessor :run

  # Work, then the effect, once.
  def perform(job)
    key = job["key"]
    Once.call(key) do |first|
      next run.dedup unless first

      sleep(job.fetch("work", 0))
      DOWNSTREAM.effect(key, idempotency_key: (key if KNOBS.idempotency == "unique"))
    end
  end
end

# Sidekiq counts retries only: a job that is fetched again after a crash has the attempt number that it had before.
class RecordAttempts
  def call(worker, payload, _queue)
    attempt = payload.fetch("retry_count", -1) + 2
    ATTEMPTS.run(payload["args"][0]["key"], attempt, last: attempt > payload["retry"]) do |run|
      worker.run = run
      yield
    end
  end
end
