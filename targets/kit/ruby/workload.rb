# What a job asks of its handler before the effect: to wait, to compute, to fail.
module Kit
  module Workload
    TRANSIENT_ATTEMPTS = 2

    def self.call(job, attempt)
      sleep(job.fetch("work", 0))
      compute(job["busy"]) if job["busy"]
      fail_as(job["poison"], job["key"], attempt) if job["poison"]
    end

    # Ruby takes its lock from a thread that computes every 100 ms. A call into a C extension may keep it to the end,
    # and then no other thread of the process does anything: the knob `compute_in` says which.
    def self.compute(seconds)
      return keep_the_lock(seconds) if Kit.knobs.compute_in == "extension"

      finish = now + seconds
      nil while now < finish
    end

    # To the other threads it is all the same what such a call does; one that sleeps takes as long on a busy machine.
    def self.keep_the_lock(seconds)
      require "fiddle"
      address = Fiddle.dlopen(nil)["usleep"]
      sleeping = Fiddle::Function.new(address, [Fiddle::TYPE_INT], Fiddle::TYPE_INT, need_gvl: true)
      sleeping.call((seconds * 1_000_000).to_i)
    end

    def self.fail_as(poison, key, attempt)
      case poison
      when "permanent" then raise Permanent, "#{key} cannot be done"
      when "unknown" then raise Unclassified, "something is wrong with #{key}"
      when "transient" then raise Transient, "#{key} cannot be done yet" if attempt <= TRANSIENT_ATTEMPTS
      else raise ArgumentError, "poison: expected permanent, unknown or transient, got #{poison}"
      end
    end

    def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    private_class_method :compute, :keep_the_lock, :fail_as, :now
  end
end
