package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/hibiken/asynq"

	"targets/asynq/settings"
)

// retryDelay doubles the wait with each retry up to the longest, and with jitter takes a random part of it.
func retryDelay(knobs settings.Knobs) asynq.RetryDelayFunc {
	if knobs.RetryDelayFunc == "default" {
		return asynq.DefaultRetryDelayFunc
	}
	return func(retried int, _ error, _ *asynq.Task) time.Duration {
		seconds := min(float64(knobs.RetryDelay)*math.Pow(2, float64(retried)), float64(knobs.RetryDelayMax))
		if knobs.RetryJitter {
			seconds *= rand.Float64()
		}
		return time.Duration(seconds * float64(time.Second))
	}
}
