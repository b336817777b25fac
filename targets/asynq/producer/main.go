// The web application in front of asynq: it enqueues tasks, and reads from Redis what became of them.
package main

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/hibiken/asynq"

	"jobharness/kit"
	"targets/asynq/once"
	"targets/asynq/settings"
)

var errNotSent = errors.New("not sent: the connection broke before")

// Enqueue enqueues one job after the other; once the connection is broken, the rest of the batch is not sent.
func (q *queue) Enqueue(ctx context.Context, jobs []kit.Job) []kit.Result {
	results := make([]kit.Result, 0, len(jobs))
	broken := false
	for _, job := range jobs {
		if broken {
			results = append(results, kit.Rejected(job, errNotSent))
			continue
		}
		err, seen := q.enqueue(ctx, job)
		results = append(results, result(job, err, seen))
		broken = err != nil && !answered(err, seen)
	}
	return results
}

// enqueue returns when Redis has answered; with the error of asynq comes what go-redis saw.
func (q *queue) enqueue(ctx context.Context, job kit.Job) (err, seen error) {
	watching, sight := watched(ctx)
	_, err = q.client.EnqueueContext(watching, asynq.NewTask(settings.Task, job.Raw), q.options(job)...)
	return err, *sight
}

func (q *queue) options(job kit.Job) []asynq.Option {
	options := []asynq.Option{
		asynq.MaxRetry(q.knobs.MaxRetry),
		asynq.Timeout(q.knobs.Timeout.Duration()),
		asynq.Retention(q.knobs.Retention.Duration()),
	}
	if q.knobs.TaskID == "key" {
		options = append(options, asynq.TaskID(job.Key))
	}
	if q.knobs.UniqueTTL > 0 {
		options = append(options, asynq.Unique(q.knobs.UniqueTTL.Duration()))
	}
	if job.Delay > 0 {
		options = append(options, q.delayed(job.Delay.Duration()))
	}
	return options
}

// delayed rounds the time up to a second unless asynq is to cut it: Redis has it in whole seconds.
func (q *queue) delayed(delay time.Duration) asynq.Option {
	if q.knobs.DelayOption == "process_in" {
		return asynq.ProcessIn(delay)
	}
	return asynq.ProcessAt(time.Now().Add(delay + time.Second - 1).Truncate(time.Second))
}

func serve(ctx context.Context) error {
	knobs, err := kit.Knobs[settings.Knobs]()
	if err != nil {
		return err
	}
	if err := once.CreateTable(ctx); err != nil {
		return err
	}
	enqueues, err := settings.RedisOfClient(knobs)
	if err != nil {
		return err
	}
	enqueues.AddHook(watch{})
	looks, err := settings.RedisToLook()
	if err != nil {
		return err
	}
	return kit.Serve(&queue{knobs, looks, asynq.NewClientFromRedisClient(enqueues), asynq.NewInspectorFromRedisClient(looks)})
}

func main() {
	if err := serve(context.Background()); err != nil {
		log.Fatal(err)
	}
}
