require "securerandom"

module Kit
  # What a job asks for, all but the guards that need a server: steps 2 to 4 of the handler in docs/target-protocol.md.
  class Handler
    def initialize
      @knobs = Kit.knobs
      @downstream = Downstream.new(@knobs.downstream_timeout)
    end

    # `run` is what Attempts#run yields.
    def call(job, run)
      Workload.call(job, run.attempt)
      return run.dedup if @knobs.idempotency == "reconcile" && run.again && @downstream.effects(job["key"]).positive?

      @downstream.effect(job["key"], version: version(job), idempotency_key: idempotency_key(job))
    end

    private

    # The record's version now, unless the job's own is to be trusted; a job without one acts on no record.
    def version(job)
      job["version"] && @knobs.record != "snapshot" ? @downstream.version(job["key"]) : job["version"]
    end

    # A key that outlives the attempt guards the effect; one made for the attempt does not.
    def idempotency_key(job)
      case @knobs.idempotency
      when "unique", "key" then job["key"]
      when "fresh" then SecureRandom.uuid
      end
    end
  end
end
