// Package once keeps a handler from doing a job's effect twice: the values of the idempotency knob that need a server.
package once

import (
	"context"

	"targets/asynq/settings"
)

// Guard runs the effect of a key unless an earlier run did it, remembers it when the effect had no error, and says
// whether this run was the first.
type Guard interface {
	Once(ctx context.Context, key string, effect func() error) (first bool, err error)
}

// NewGuard is the guard that the knobs ask for.
func NewGuard(ctx context.Context, knobs settings.Knobs, concurrency int) (Guard, error) {
	switch knobs.Idempotency {
	case "setnx":
		client, err := settings.RedisOnce()
		return setnx{client, knobs.IdempotencyTTL.Duration()}, err
	case "unique":
		pool, err := connect(ctx, concurrency)
		return unique{pool}, err
	}
	return none{}, nil
}

// none takes every run for the first.
type none struct{}

func (none) Once(_ context.Context, _ string, effect func() error) (bool, error) {
	return true, effect()
}
