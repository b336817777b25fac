# Sidekiq's settings from the knobs, shared by the producer and the worker.

$LOAD_PATH.unshift(File.join(ENV.fetch("HARNESS_KIT"), "ruby"))

require "kit"
require "sidekiq"

Redis.sadd_returns_boolean = false # or redis-rb warns at each push of Sidekiq's, which does not look

KNOBS = Kit.knobs
QUEUE = "default"
JOB_CLASS = "HarnessJob"

# Options of a connection to Redis; a command that was sent is never repeated, unless `attempts` says so.
def redis_options(attempts: 0, **more)
  {url: ENV.fetch("HARNESS_REDIS"), network_timeout: KNOBS.network_timeout, reconnect_attempts: attempts, **more}
end
