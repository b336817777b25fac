# A real Sidekiq process with one job class; TERM waits `timeout` for running jobs, and gives back the rest.

require_relative "app"
require "sidekiq/cli"
require_relative "job"
require_relative "reliability"
require_relative "retries"

def configure(config)
  config.redis = redis_options(attempts: KNOBS.reconnect_attempts)
  config.server_middleware { |chain| chain.add RecordAttempts }
  config.options.merge!(dead_max_jobs: KNOBS.dead_max_jobs, dead_timeout_in_seconds: KNOBS.dead_timeout_in_seconds)
  config.options[:poll_interval_average] = KNOBS.poll_interval_average unless KNOBS.poll_interval_average.zero?
  config.average_scheduled_poll_interval = KNOBS.average_scheduled_poll_interval
  config.on(:startup) { trap("TERM", "DEFAULT") } unless KNOBS.handle_sigterm
  Reliability.set_up(config) unless KNOBS.fetch == "basic"
end

# Says so once every thread has been started; Sidekiq's own `startup` event comes before that.
module SayReady
  def run
    super
    ATTEMPTS.ready
  end
end

# A new process would look for due jobs only after a random part of 5 s, and 10 s more without poll_interval_average.
module PollAtStart
  def initial_wait = nil
end

Sidekiq::Launcher.prepend(SayReady)
Sidekiq::Scheduled::Poller.prepend(PollAtStart) if KNOBS.poll_at_start
Sidekiq::JobRetry.prepend(Retries)
HarnessJob.sidekiq_retries_exhausted(&RENEW) if KNOBS.dead && KNOBS.dead_letters == "renewed"
Sidekiq.singleton_class.prepend(StopWhenRedisIsLost) if KNOBS.stop_when_redis_is_lost

cli = Sidekiq::CLI.instance
cli.parse(%W[--require #{__FILE__} --queue #{QUEUE} --concurrency #{Kit.concurrency} --timeout #{KNOBS.timeout.ceil}])
configure(Sidekiq)
cli.run(boot_app: false)
