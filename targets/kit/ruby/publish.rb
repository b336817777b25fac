# Whether the producer answers when the queue has, or at once: the knob `publish`.
module Kit
  def self.published(enqueue) = knobs.publish == "background" ? in_background(enqueue) : enqueue

  # Acks every job and enqueues it afterwards, once; by then nobody waits to hear what became of it.
  def self.in_background(enqueue)
    lambda do |jobs|
      Thread.new { enqueue.call(jobs).each { |result| warn "in the background: #{result}" if result[:why] } }
      jobs.map { |job| acked(job) }
    end
  end
  private_class_method :in_background
end
