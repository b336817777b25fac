# The errors of a handler, and what they mean for its next attempt.
module Kit
  # No retry can help; nobody has said whether one can; one will.
  Permanent = Class.new(StandardError)
  Unclassified = Class.new(StandardError)
  Transient = Class.new(StandardError)

  # The effect was not confirmed. `status` is nil when no answer came: then it may have happened all the same.
  # `retry_after` is how many seconds the downstream asked to be left alone, if it did.
  class DownstreamFailed < StandardError
    attr_reader :status, :retry_after

    def initialize(message, status = nil, retry_after = nil)
      super(message)
      @status, @retry_after = status, retry_after
    end
  end

  # The name of an error's class without the modules around it, as the history and dead letters have it.
  def self.class_of(name) = name.split("::").last

  # Whether this error ends the job at once, as the knob `classify` says.
  def self.hopeless?(error) = knobs.classify == true && error.is_a?(Permanent)

  # Seconds that the next attempt has to wait at least, as the knob `honour_retry_after` says.
  def self.asked(error)
    knobs.honour_retry_after && error.is_a?(DownstreamFailed) && error.retry_after || 0
  end
end
