require "json"

module Kit
  # Appends what this worker does to its event file; safe across threads, silent without HARNESS_EVENTS.
  class Attempts
    # One call of the handler: the number of its attempt, whether the job may have been run before, and a `note` that
    # says more about how it ended.
    Run = Struct.new(:attempt, :again, :note) do
      # An earlier run had done the work: this one does nothing.
      def dedup = self.note = "dedup"
    end

    def initialize
      @worker = ENV.fetch("HARNESS_WORKER", "worker")
      @runs = 0
      @lock = Mutex.new
      open_file(ENV["HARNESS_EVENTS"]) unless ENV["HARNESS_EVENTS"].to_s.empty?
    end

    # This worker consumes from now on.
    def ready = write(e: "ready")

    # Writes `start`, yields a Run, then writes `finish`: done, or after an exception failed, or dead if this was the
    # last attempt or no other can help. What is no StandardError is a shutdown: no fault of the job's, and no attempt
    # is used up. `again` is for a system that knows of a run which did not count as an attempt.
    def run(key, attempt, last: false, again: attempt > 1)
      run = Run.new(attempt, again)
      about = {key: key, run: name_of_run}
      write(e: "start", **about, attempt: attempt)
      result = yield run
      write(e: "finish", **about, outcome: "done", **noted(run.note))
      result
    rescue Exception => error
      outcome = error.is_a?(StandardError) && (last || Kit.hopeless?(error)) ? "dead" : "failed"
      write(e: "finish", **about, outcome: outcome, **noted(run.note || Kit.class_of(error.class.name)))
      raise
    end

    private

    def open_file(folder)
      path = File.join(folder, "#{@worker}.#{Process.pid}.jsonl")
      @file = File.open(path, File::WRONLY | File::APPEND | File::CREAT, 0o644)
      @born = now.to_s(16)
    end

    # The pid alone would repeat in a container, so the file's birth is part of it.
    def name_of_run = "#{Process.pid}.#{@born}.#{@lock.synchronize { @runs += 1 }}"

    def noted(note) = note ? {note: note} : {}

    def write(e:, **fields)
      return unless @file

      line = JSON.generate({e: e, t: now, worker: @worker, pid: Process.pid, **fields}) << "\n"
      written = @file.syswrite(line)
      raise IOError, "only part of a line was written: is the disk full?" if written != line.bytesize
    end

    def now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
  end
end
