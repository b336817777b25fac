# What a target written in Ruby is made with: its knobs, its handler, its attempt lines, its call to the downstream.

require "json"
require "ostruct"
require_relative "attempts"
require_relative "downstream"
require_relative "failure"
require_relative "handler"
require_relative "workload"

module Kit
  # Every knob of target.yaml as a method; durations are seconds.
  def self.knobs
    @knobs ||= OpenStruct.new(JSON.parse(ENV.fetch("HARNESS_KNOBS"))).freeze
  end

  # How many jobs this worker may run at once: HARNESS_CONCURRENCY, else the knob `concurrency`.
  def self.concurrency
    Integer(ENV["HARNESS_CONCURRENCY"] || knobs.concurrency)
  end
end
