# What a job asks of its handler before the effect: to wait, to compute, to fail.
module Kit
  module Workload
    TRANSIENT_ATTEMPTS = 2
    TRIAL = 100_000 # rounds of a hash: some 20 to 100 ms

    def self.call(job, attempt)
      sleep(job.fetch("work", 0))
      compute(job["busy"]) if job["busy"]
      fail_as(job["poison"], job["key"], attempt) if job["poison"]
    end

    # Ruby takes the lock from a thread that computes every 100 ms. A C extension may keep it to the end, and then no
    # other thread of the process does anything: the knob `compute_in` says which.
    def self.compute(seconds)
      return hash_for(seconds) if Kit.knobs.compute_in == "extension"

      finish = now + seconds
      nil while now < finish
    end

    # One call that takes that much of the processor: how fast it is has to be tried first.
    def self.hash_for(seconds)
      require "openssl"
      began = now(Process::CLOCK_THREAD_CPUTIME_ID)
      stretch(TRIAL)
      stretch((seconds / (now(Process::CLOCK_THREAD_CPUTIME_ID) - began) * TRIAL).ceil)
    end

    def self.stretch(rounds)
      OpenSSL::KDF.pbkdf2_hmac("password", salt: "salt", iterations: rounds, length: 32, hash: "SHA256")
    end

    def self.fail_as(poison, key, attempt)
      case poison
      when "permanent" then raise Permanent, "#{key} cannot be done"
      when "unknown" then raise Unclassified, "something is wrong with #{key}"
      when "transient" then raise Transient, "#{key} cannot be done yet" if attempt <= TRANSIENT_ATTEMPTS
      else raise ArgumentError, "poison: expected permanent, unknown or transient, got #{poison}"
      end
    end

    def self.now(clock = Process::CLOCK_MONOTONIC) = Process.clock_gettime(clock)
    private_class_method :hash_for, :stretch, :fail_as, :now
  end
end
