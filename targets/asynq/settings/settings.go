// Package settings is what the producer and the worker share: the knobs, the queue, and the way to Redis.
package settings

import (
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"jobharness/kit"
)

// Queue is the one queue of this target, and Task the one type of task in it.
const (
	Queue = "default"
	Task  = "harness:job"
)

// Knobs are those of target.yaml, which says what each means.
type Knobs struct {
	kit.Handling
	Concurrency              int         `json:"concurrency"`
	MaxRetry                 int         `json:"max_retry"`
	RetryDelayFunc           string      `json:"retry_delay_func"`
	RetryDelay               kit.Seconds `json:"retry_delay"`
	RetryDelayMax            kit.Seconds `json:"retry_delay_max"`
	RetryJitter              bool        `json:"retry_jitter"`
	Timeout                  kit.Seconds `json:"timeout"`
	TaskID                   string      `json:"task_id"`
	UniqueTTL                kit.Seconds `json:"unique_ttl"`
	Retention                kit.Seconds `json:"retention"`
	LeaseDuration            kit.Seconds `json:"lease_duration"`
	RecovererInterval        kit.Seconds `json:"recoverer_interval"`
	TaskCheckInterval        kit.Seconds `json:"task_check_interval"`
	DelayedTaskCheckInterval kit.Seconds `json:"delayed_task_check_interval"`
	ShutdownTimeout          kit.Seconds `json:"shutdown_timeout"`
	HandleSigterm            bool        `json:"handle_sigterm"`
	DialTimeout              kit.Seconds `json:"dial_timeout"`
	ReadTimeout              kit.Seconds `json:"read_timeout"`
	RedisMaxRetries          int         `json:"redis_max_retries"`
	ClientMaxRetries         int         `json:"client_max_retries"`
	DelayOption              string      `json:"delay_option"`
	HeedContext              bool        `json:"heed_context"`
	OutOfRetries             string      `json:"out_of_retries"`
	ErrorText                string      `json:"error_text"`
	IdempotencyTTL           kit.Seconds `json:"idempotency_ttl"`
}

// Redis is a client that waits as long and tries as often as the knobs say.
func Redis(knobs Knobs) (*redis.Client, error) {
	return client(knobs.DialTimeout.Duration(), knobs.ReadTimeout.Duration(), knobs.RedisMaxRetries)
}

// RedisOfClient is what the producer enqueues with.
func RedisOfClient(knobs Knobs) (*redis.Client, error) {
	return client(2*time.Second, 3*time.Second, knobs.ClientMaxRetries)
}

// RedisOnce is a client that sends a command once: one that was sent again could find its own traces.
func RedisOnce() (*redis.Client, error) {
	return client(2*time.Second, 3*time.Second, 0)
}

// RedisToLook is a client for questions. Its pool is large because go-redis, after as many errors as that, gives the
// last of them for a second more when Redis is long back.
func RedisToLook() (*redis.Client, error) {
	options, err := options(2*time.Second, 3*time.Second, 2)
	if err != nil {
		return nil, err
	}
	options.PoolSize = 1000
	return redis.NewClient(options), nil
}

func client(dial, read time.Duration, retries int) (*redis.Client, error) {
	options, err := options(dial, read, retries)
	if err != nil {
		return nil, err
	}
	return redis.NewClient(options), nil
}

func options(dial, read time.Duration, retries int) (*redis.Options, error) {
	options, err := redis.ParseURL(os.Getenv("HARNESS_REDIS"))
	if err != nil {
		return nil, err
	}
	options.DialTimeout, options.ReadTimeout, options.MaxRetries = dial, read, retries
	if retries == 0 {
		options.MaxRetries = -1 // to go-redis, 0 is its default of 3
	}
	return options, nil
}
