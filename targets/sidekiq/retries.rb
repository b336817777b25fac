# When a failed job is tried again, if at all. Both are private parts of Sidekiq, for want of an option.
module Retries
  # Seconds until the retry after the failure number `count`, from 0. Sidekiq adds rand(10) * (count + 1) seconds to
  # whatever a `sidekiq_retry_in` block says, so the sixtieth retry would wait minutes: the knobs replace the sum.
  def delay_for(worker, count, exception)
    Kit.asked(exception) + (KNOBS.retry_in.zero? ? super : wait(count))
  end

  # Out of retries at once: what `sidekiq_retry_in { :kill }` does in later releases. Each thread has its own JobRetry.
  def attempt_retry(worker, msg, queue, exception)
    @hopeless = Kit.hopeless?(exception)
    super
  end

  def retry_attempts_from(...) = @hopeless ? 0 : super

  private

  def wait(count)
    longest = [KNOBS.retry_in * 2**count, KNOBS.retry_in_max].min
    case KNOBS.retry_jitter
    when "sidekiq" then longest + rand(10) * (count + 1)
    when "full" then longest * rand
    else longest
    end
  end
end

# A job that was replayed from the set `dead` has one attempt. This gives it all of them again: what is kept of it is
# as it was when it was new, and nobody can see what went wrong.
RENEW = lambda do |msg, _exception|
  new = msg.slice("class", "args", "queue", "jid", "retry")
  Sidekiq::DeadSet.new.kill(Sidekiq.dump_json(new), notify_failure: false)
  msg["dead"] = false
end
