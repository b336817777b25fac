package main

import (
	"context"
	"encoding/json"

	"github.com/hibiken/asynq"

	"jobharness/kit"
	"targets/asynq/once"
	"targets/asynq/settings"
)

// handler does one job: work, then its effect, once.
type handler struct {
	knobs    settings.Knobs
	attempts *kit.Attempts
	guard    once.Guard
	*kit.Handler
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
	last := func(err error) bool { return retried >= most || h.knobs.Hopeless(err) }
	if !h.knobs.HeedContext {
		ctx = context.WithoutCancel(ctx)
	}
	err := h.attempts.Run(job.Key, retried+1, last, func(run *kit.Run) error { return h.once(ctx, job, run) })
	return h.told(err, last)
}

func (h *handler) once(ctx context.Context, job kit.Job, run *kit.Run) error {
	first, err := h.guard.Once(ctx, job.Key, func() error { return h.Do(ctx, job, run) })
	if err == nil && !first {
		run.Dedup()
	}
	return err
}
