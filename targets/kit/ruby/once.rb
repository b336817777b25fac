# How a handler keeps from doing a job's effect twice: `setnx` and `unique` of the idempotency knob.

require "connection_pool"
require "redis"

module Kit
  module Once
    CREATE = "CREATE TABLE IF NOT EXISTS done (key text PRIMARY KEY)".freeze
    INSERT = "INSERT INTO done (key) VALUES ($1) ON CONFLICT DO NOTHING".freeze
    CREATING = 7_265 # any number that nobody else locks
    BAD = 1 # PG::CONNECTION_BAD
    STARTING = 30 # a machine that is busy with the start of everything is no reason to give up

    # Yields true to the run which is to do the effect, and remembers it when the block ends well.
    def self.call(key, &block)
      case Kit.knobs.idempotency
      when "unique" then unique(key, &block)
      when "setnx" then setnx(key, &block)
      else yield true
      end
    end

    # The first to set the key in Redis; it is deleted when the attempt fails, and stays when the worker dies.
    def self.setnx(key)
      name = "done:#{key}"
      first = redis.with { |store| store.set(name, 1, nx: true, ex: Kit.knobs.idempotency_ttl.to_i) }
      yield first
    rescue Exception
      redis.with { |store| store.del(name) } if first
      raise
    end

    # The first to commit a row with the key; a second run waits for the first to commit or to die.
    def self.unique(key)
      postgres.with do |connection|
        connection.reset if connection.status == BAD
        connection.transaction { yield connection.exec_params(INSERT, [key]).cmd_tuples == 1 }
      end
    end

    # Two that create a table at once would collide in the catalogue, hence the lock.
    def self.create_table
      connection = connected(STARTING)
      connection.transaction { connection.exec("SELECT pg_advisory_xact_lock(#{CREATING}); #{CREATE}") }
    ensure
      connection&.close
    end

    # Pools, because a thread of Sidekiq's does not outlive a job that fails.
    POOLS = Mutex.new

    def self.postgres
      POOLS.synchronize do
        @postgres ||= ConnectionPool.new(size: Kit.concurrency) { connected(3) }
      end
    end

    def self.connected(patience)
      require "pg"
      PG.connect(ENV.fetch("HARNESS_POSTGRES"), connect_timeout: patience)
    end

    # A client without retries of its own, which could set a key, lose the answer and then find the key set.
    def self.redis
      POOLS.synchronize do
        @redis ||= ConnectionPool.new(size: Kit.concurrency) do
          Redis.new(url: ENV.fetch("HARNESS_REDIS"), timeout: 3, reconnect_attempts: 0)
        end
      end
    end
  end
end
