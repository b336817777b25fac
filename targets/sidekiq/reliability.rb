# What GitLab's reliable fetch has as constants is a knob here; and a worker that lost Redis can be made to stop.

require "sidekiq-reliable-fetch"

module Reliability
  CONSTANTS = {
    Sidekiq::BaseReliableFetch => {
      HEARTBEAT_INTERVAL: KNOBS.heartbeat_interval,
      HEARTBEAT_LIFESPAN: KNOBS.heartbeat_lifespan.to_i,
    },
    Sidekiq::ReliableFetch => {RELIABLE_FETCH_IDLE_TIMEOUT: KNOBS.reliable_fetch_idle_timeout},
  }.freeze

  def self.set_up(config)
    CONSTANTS.each { |owner, values| values.each { |name, value| replace(owner, name, value) } }
    config.options.merge!(
      cleanup_interval: KNOBS.cleanup_interval.to_i,
      lease_interval: KNOBS.lease_interval.zero? ? Float::INFINITY : KNOBS.lease_interval,
      semi_reliable_fetch: KNOBS.fetch == "semi_reliable",
      max_retries_after_interruption: KNOBS.max_retries_after_interruption, # sidekiq_options it asks in vain, by symbol
    )
    Sidekiq::BaseReliableFetch.singleton_class.prepend(OneHeartbeat) unless KNOBS.heartbeat_thread
    Sidekiq::ReliableFetch.setup_reliable_fetch!(config)
  end

  def self.replace(owner, name, value)
    owner.send(:remove_const, name)
    owner.const_set(name, value)
  end
end

# A thread does not survive a fork: in a worker that is forked after this was set up, no heart beats.
module OneHeartbeat
  def start_heartbeat_thread = heartbeat
end

# A job whose fetch or acknowledgement got no answer stays in the working list of this process, which nobody looks
# after while its heart beats. To end it is the one way to have the list cleaned; INT is a warm shutdown like TERM.
module StopWhenRedisIsLost
  def redis(...)
    super
  rescue Redis::BaseConnectionError
    Process.kill(:INT, Process.pid)
    raise
  end
end
