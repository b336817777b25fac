package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hibiken/asynq"

	"jobharness/kit"
	"targets/asynq/once"
)

// handler does one job: work, then its effect, once.
type handler struct {
	attempts   *kit.Attempts
	guard      once.Guard
	downstream *kit.Downstream
	sendsKey   bool
}

// ProcessTask writes the attempt down. To asynq the end of a lease is a failure too, so a job that comes back after a
// crash has the next attempt number.
func (h *handler) ProcessTask(ctx context.Context, task *asynq.Task) error {
	var job kit.Job
	if err := json.Unmarshal(task.Payload(), &job); err != nil {
		return err
	}
	retried, _ := asynq.GetRetryCount(ctx)
	most, _ := asynq.GetMaxRetry(ctx)
	return h.attempts.Run(job.Key, retried+1, retried >= most, func(run *kit.Run) error {
		first, err := h.guard.Once(ctx, job.Key, func() error { return h.do(ctx, job) })
		if err == nil && !first {
			run.Dedup()
		}
		return err
	})
}

func (h *handler) do(ctx context.Context, job kit.Job) error {
	select {
	case <-time.After(job.Work.Duration()):
	case <-ctx.Done():
		return ctx.Err()
	}
	key := ""
	if h.sendsKey {
		key = job.Key
	}
	return h.downstream.Effect(ctx, job.Key, key)
}
