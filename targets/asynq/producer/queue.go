package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"jobharness/kit"
	"targets/asynq/settings"
)

const (
	keys = "asynq:{" + settings.Queue + "}:"
	page = 1000
)

// queue is asynq's queue, as the producer shows it; redis is for looking only.
type queue struct {
	knobs     settings.Knobs
	redis     *redis.Client
	client    *asynq.Client
	inspector *asynq.Inspector
}

// State counts tasks; those that wait for a retry are delayed, those in the archive dead.
func (q *queue) State(ctx context.Context) (map[string]int64, error) {
	pipe := q.redis.TxPipeline()
	pending, active := pipe.LLen(ctx, keys+"pending"), pipe.LLen(ctx, keys+"active")
	scheduled, retry := pipe.ZCard(ctx, keys+"scheduled"), pipe.ZCard(ctx, keys+"retry")
	archived := pipe.ZCard(ctx, keys+"archived")
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	return map[string]int64{
		"queued":  pending.Val(),
		"active":  active.Val(),
		"delayed": scheduled.Val() + retry.Val(),
		"dead":    archived.Val(),
	}, nil
}

// Held is every task but the completed ones, by the key of its job.
func (q *queue) Held(context.Context) ([]kit.Held, error) {
	places := []struct {
		where string
		list  func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error)
	}{
		{"queued", q.inspector.ListPendingTasks},
		{"active", q.inspector.ListActiveTasks},
		{"delayed", q.inspector.ListScheduledTasks},
		{"delayed", q.inspector.ListRetryTasks},
		{"dead", q.inspector.ListArchivedTasks},
	}
	held := []kit.Held{}
	for _, place := range places {
		tasks, err := all(place.list)
		if err != nil {
			return nil, err
		}
		for _, task := range tasks {
			var job kit.Job
			if err := json.Unmarshal(task.Payload, &job); err != nil {
				return nil, err
			}
			held = append(held, kit.Held{Key: job.Key, Where: place.where})
		}
	}
	return held, nil
}

// all turns page after page; a queue that never had a task is no queue yet.
func all(list func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error)) ([]*asynq.TaskInfo, error) {
	var tasks []*asynq.TaskInfo
	for number := 1; ; number++ {
		some, err := list(settings.Queue, asynq.PageSize(page), asynq.Page(number))
		if errors.Is(err, asynq.ErrQueueNotFound) {
			return nil, nil
		}
		if tasks = append(tasks, some...); err != nil || len(some) < page {
			return tasks, err
		}
	}
}
