package kit

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// Handling is the knobs of every handler; embed it in the struct of your own.
type Handling struct {
	DownstreamTimeout Seconds `json:"downstream_timeout"`
	Idempotency       string  `json:"idempotency"`
	Classify          bool    `json:"classify"`
	HonourRetryAfter  bool    `json:"honour_retry_after"`
	Record            string  `json:"record"`
}

// Hopeless says that no retry can help: the error is Permanent, and errors are told apart.
func (h Handling) Hopeless(failure error) bool {
	return h.Classify && failure != nil && Class(failure) == Permanent
}

// Asked is how long the downstream asked to be left alone, if it did and that is honoured.
func (h Handling) Asked(failure error) time.Duration {
	var refused *DownstreamFailed
	if h.HonourRetryAfter && errors.As(failure, &refused) {
		return refused.RetryAfter
	}
	return 0
}

// Handler does what a job asks for, all but the guards that need a server: steps 2 to 4 of docs/target-protocol.md.
type Handler struct {
	knobs      Handling
	downstream *Downstream
}

// NewHandler is for a worker that runs as many jobs at once.
func NewHandler(knobs Handling, concurrency int) *Handler {
	return &Handler{knobs, NewDownstream(knobs.DownstreamTimeout.Duration(), concurrency)}
}

// Do works, fails if the job is poison, and has the side effect.
func (h *Handler) Do(ctx context.Context, job Job, run *Run) error {
	if err := wait(ctx, job.Work.Duration()); err != nil {
		return err
	}
	compute(job.Busy.Duration())
	if err := poisoned(job, run.Attempt); err != nil {
		return err
	}
	if done, err := h.reconciled(ctx, job, run); done || err != nil {
		return err
	}
	version, err := h.version(ctx, job)
	if err != nil {
		return err
	}
	return h.downstream.Effect(ctx, Call{job.Key, version, h.idempotencyKey(job)})
}

// reconciled asks the downstream whether an earlier run had the effect.
func (h *Handler) reconciled(ctx context.Context, job Job, run *Run) (bool, error) {
	if h.knobs.Idempotency != "reconcile" || run.Attempt == 1 {
		return false, nil
	}
	effects, err := h.downstream.Effects(ctx, job.Key)
	if effects > 0 {
		run.Dedup()
	}
	return effects > 0, err
}

// version is that of the record now, unless the job's own is to be trusted; a job without one acts on no record.
func (h *Handler) version(ctx context.Context, job Job) (*int, error) {
	if job.Version == nil || h.knobs.Record == "snapshot" {
		return job.Version, nil
	}
	version, err := h.downstream.Record(ctx, job.Key)
	return &version, err
}

func (h *Handler) idempotencyKey(job Job) string {
	switch h.knobs.Idempotency {
	case "unique", "key":
		return job.Key
	case "fresh":
		return rand.Text()
	}
	return ""
}

func wait(ctx context.Context, length time.Duration) error {
	select {
	case <-time.After(length):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// compute holds a processor and heeds nothing. That starves no other goroutine: the runtime interrupts it every 10 ms.
func compute(length time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end); {
	}
}
