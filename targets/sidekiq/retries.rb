# When a failed job is tried again. Sidekiq adds rand(10) * (count + 1) seconds to whatever a `sidekiq_retry_in` block
# says, so the sixtieth retry would wait minutes: the knobs replace the sum, and not the block.
module RetryIn
  # Seconds until the retry after the failure number `count`, from 0.
  def delay_for(worker, count, exception)
    return super if KNOBS.retry_in.zero?

    wait = [KNOBS.retry_in * 2**count, KNOBS.retry_in_max].min
    case KNOBS.retry_jitter
    when "sidekiq" then wait + rand(10) * (count + 1)
    when "full" then wait * rand
    else wait
    end
  end
end
