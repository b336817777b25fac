package main

import (
	"context"
	"errors"
	"net"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"jobharness/kit"
)

// result says what an error while enqueueing means for the job: Redis has not got it, or nobody knows.
func result(job kit.Job, err, seen error) kit.Result {
	switch {
	case err == nil, errors.Is(err, asynq.ErrTaskIDConflict): // the queue has that task, perhaps from an answer that was lost
		return kit.Acked(job)
	case answered(err, seen) || neverSent(seen):
		return kit.Rejected(job, err)
	}
	return kit.Unknown(job, err)
}

// answered: Redis read the command and refused it (out of memory, read-only, loading), or asynq did (a duplicate).
func answered(err, seen error) bool {
	var refusal redis.Error
	duplicate := errors.Is(err, asynq.ErrDuplicateTask) || errors.Is(err, asynq.ErrTaskIDConflict)
	return duplicate || errors.As(seen, &refusal)
}

// neverSent: there was no connection to send on.
func neverSent(seen error) bool {
	var broken *net.OpError
	return errors.Is(seen, redis.ErrPoolTimeout) || errors.As(seen, &broken) && broken.Op == "dial"
}

// watch is a hook of go-redis that keeps the last error of a command: asynq makes text of it.
type watch struct{}

type sightKey struct{}

func watched(ctx context.Context) (context.Context, *error) {
	sight := new(error)
	return context.WithValue(ctx, sightKey{}, sight), sight
}

func (watch) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := next(ctx, command)
		if sight, ok := ctx.Value(sightKey{}).(*error); ok {
			*sight = err
		}
		return err
	}
}

func (watch) DialHook(next redis.DialHook) redis.DialHook { return next }

func (watch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
