require "json"
require "net/http"
require "uri"
require_relative "failure"

module Kit
  # The downstream of HARNESS_DOWNSTREAM; connections are kept and shared between threads, one call on each at a time.
  class Downstream
    BROKEN = [SystemCallError, IOError, SocketError, Timeout::Error, Net::ProtocolError, Net::HTTPBadResponse].freeze

    def initialize(timeout)
      @url = URI(ENV.fetch("HARNESS_DOWNSTREAM").chomp("/"))
      @timeout = timeout
      @idle = Thread::Queue.new
    end

    # Asks for the side effect once, never twice; raises DownstreamFailed unless it was confirmed.
    def effect(key, version: nil, idempotency_key: nil)
      headers = {"Content-Type" => "application/json"}
      headers["Idempotency-Key"] = idempotency_key if idempotency_key
      body = JSON.generate({key: key, version: version}.compact)
      ask { |connection| connection.post("#{@url.path}/effects", body, headers) }
    end

    # The version of the key's record now.
    def version(key) = look("records", key).fetch("version")

    # How many effects the key has had.
    def effects(key) = look("effects", key).fetch("effects")

    private

    def look(what, key)
      path = "#{@url.path}/#{what}/#{URI.encode_www_form_component(key).gsub("+", "%20")}"
      JSON.parse(ask { |connection| connection.get(path) }.body)
    end

    # A connection on which anything went wrong is not kept.
    def ask
      connection = idle || opened
      answer = yield connection
      @idle << connection
      answer.code == "200" ? answer : raise(refusal(answer))
    rescue *BROKEN => error
      raise DownstreamFailed, "#{error.class}: #{error.message}"
    end

    def refusal(answer)
      retry_after = Float(answer["Retry-After"] || "", exception: false)
      DownstreamFailed.new("the downstream answered #{answer.code}", answer.code.to_i, retry_after)
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
