package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/hibiken/asynq"

	"targets/asynq/settings"
)

// retryDelay is the back-off, after what the downstream asked for. That is rounded up by a second: asynq cuts the time
// of a retry to whole seconds.
func retryDelay(knobs settings.Knobs) asynq.RetryDelayFunc {
	backoff := exponential(knobs)
	if knobs.RetryDelayFunc == "default" {
		backoff = asynq.DefaultRetryDelayFunc
	}
	return func(retried int, err error, task *asynq.Task) time.Duration {
		wait := backoff(retried, err, task)
		if asked := knobs.Asked(err); asked > 0 {
			wait += asked + time.Second
		}
		return wait
	}
}

// exponential doubles the wait with each retry up to the longest, and with jitter takes a random part of it.
func exponential(knobs settings.Knobs) asynq.RetryDelayFunc {
	return func(retried int, _ error, _ *asynq.Task) time.Duration {
		seconds := min(float64(knobs.RetryDelay)*math.Pow(2, float64(retried)), float64(knobs.RetryDelayMax))
		if knobs.RetryJitter {
			seconds *= rand.Float64()
		}
		return time.Duration(seconds * float64(time.Second))
	}
}
