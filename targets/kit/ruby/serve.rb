# The producer's HTTP server: `Kit.serve(enqueue:, state:, held:)` is the whole of it.

require "json"
require "socket"
require_relative "kit"
require_relative "letters"
require_relative "publish"

module Kit
  BadRequest = Class.new(StandardError)
  REASONS = {200 => "OK", 400 => "Bad Request", 404 => "Not Found", 500 => "Internal Server Error"}.freeze

  # What became of a job: the queue confirmed it; it certainly has not got it; nobody knows.
  def self.acked(job) = {key: job["key"], outcome: "acked"}
  def self.rejected(job, error) = {key: job["key"], outcome: "rejected", why: "#{error.class}: #{error.message}"}
  def self.unknown(job, error) = {key: job["key"], outcome: "unknown", why: "#{error.class}: #{error.message}"}

  # Serves the producer on HARNESS_LISTEN until SIGTERM, with a thread for each client.
  # `enqueue` takes the jobs of one request and gives a result for each; `state` gives the counts, `held` the list
  # of `{key, where}`; `letters`, where there are any, is what letter_routes asks for.
  def self.serve(enqueue:, state:, held:, letters: nil)
    table = routes(published(enqueue), state, held, letters)
    trap("TERM") { exit!(0) }
    server = listening(ENV.fetch("HARNESS_LISTEN"))
    loop { Thread.new(server.accept) { |client| Client.new(client, table).talk } }
  end

  def self.routes(enqueue, state, held, letters)
    {
      "GET /health" => ->(_) { {} },
      "POST /jobs" => ->(body) { {results: enqueue.call(jobs_of(body))} },
      "GET /state" => ->(_) { state.call },
      "GET /held" => ->(_) { {held: held.call} },
      **(letters ? letter_routes(letters) : {}),
    }
  end

  def self.listening(address)
    host, _, port = address.rpartition(":")
    TCPServer.new(host, Integer(port)).tap { |server| server.listen(4096) }
  end

  def self.jobs_of(body)
    jobs = body["jobs"] if body.is_a?(Hash)
    return jobs if jobs.is_a?(Array) && jobs.all? { |job| job.is_a?(Hash) && job["key"].is_a?(String) }

    raise BadRequest, 'expected {"jobs": [{"key": "...", ...}, ...]}; see docs/target-protocol.md'
  end

  # One client: its requests are answered one after the other.
  class Client
    def initialize(socket, table)
      @socket, @table = socket, table
      @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    end

    def talk
      while (line = @socket.gets("\r\n"))
        send_answer(*answer(line.split.first(2).join(" ").sub(/\?.*/, ""), read_body))
      end
    rescue SystemCallError, IOError
      nil # it went away, and nobody waits for the answer
    ensure
      @socket.close
    end

    private

    def read_body
      length = 0
      while (line = @socket.gets("\r\n")) && line != "\r\n"
        name, value = line.split(":", 2)
        length = Integer(value) if name.casecmp?("content-length")
      end
      @socket.read(length).to_s
    end

    # Status and body; whatever a handler raises becomes a 500 and a trace in the log.
    def answer(route, body)
      handler = @table[route] or return 404, {error: "no #{route} here; there is #{@table.keys.join(", ")}"}
      [200, handler.call(body.empty? ? nil : JSON.parse(body))]
    rescue BadRequest, JSON::ParserError => error
      [400, {error: "#{error.class}: #{error.message}"}]
    rescue StandardError => error
      warn error.full_message(highlight: false)
      [500, {error: "#{error.class}: #{error.message}"}]
    end

    def send_answer(status, body)
      content = JSON.generate(body)
      headers = ["Content-Type: application/json", "Content-Length: #{content.bytesize}"]
      @socket.write(["HTTP/1.1 #{status} #{REASONS[status]}", *headers, "", content].join("\r\n"))
    end
  end
end
