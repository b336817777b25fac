require "json"
require "net/http"
require "uri"

module Kit
  # The effect was not confirmed. `status` is nil when no answer came: then it may have happened all the same.
  class DownstreamFailed < StandardError
    attr_reader :status

    def initialize(message, status = nil)
      super(message)
      @status = status
    end
  end

  # The downstream of HARNESS_DOWNSTREAM; connections are kept and shared between threads, one call on each at a time.
  class Downstream
    BROKEN = [SystemCallError, IOError, SocketError, Timeout::Error, Net::ProtocolError, Net::HTTPBadResponse].freeze

    def initialize(timeout)
      @url = URI("#{ENV.fetch("HARNESS_DOWNSTREAM").chomp("/")}/effects")
      @timeout = timeout
      @idle = Thread::Queue.new
    end

    # Asks for the side effect once, never twice; raises DownstreamFailed unless it was confirmed.
    def effect(key, idempotency_key: nil)
      headers = {"Content-Type" => "application/json"}
      headers["Idempotency-Key"] = idempotency_key if idempotency_key
      answer = post(JSON.generate({key: key}), headers)
      raise DownstreamFailed.new("the downstream answered #{answer.code}", answer.code.to_i) if answer.code != "200"
    end

    private

    # A connection on which anything went wrong is not kept.
    def post(body, headers)
      connection = idle || opened
      answer = connection.post(@url.path, body, headers)
      @idle << connection
      answer
    rescue *BROKEN => error
      raise DownstreamFailed, "#{error.class}: #{error.message}"
    end

    def idle
      @idle.pop(true)
    rescue ThreadError
      nil
    end

    # Net::HTTP opens a kept connection afresh when the other side has closed it. It would also repeat some requests,
    # but for max_retries.
    def opened
      connection = Net::HTTP.new(@url.host, @url.port, nil)
      connection.open_timeout = connection.read_timeout = connection.write_timeout = @timeout
      connection.max_retries = 0
      connection.start
    end
  end
end
