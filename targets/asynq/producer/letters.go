package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/hibiken/asynq"

	"jobharness/kit"
	"targets/asynq/settings"
)

// asynqs are the errors of asynq's own making, by the text that is all it keeps of an error.
var asynqs = map[string]string{
	asynq.ErrLeaseExpired.Error():    "ErrLeaseExpired",
	context.DeadlineExceeded.Error(): "DeadlineExceeded",
}

// Letters are the tasks in asynq's archive.
func (q *queue) Letters(context.Context) ([]kit.Letter, error) {
	tasks, err := all(q.inspector.ListArchivedTasks)
	letters := make([]kit.Letter, len(tasks))
	for n, task := range tasks {
		var job kit.Job
		if err := json.Unmarshal(task.Payload, &job); err != nil {
			return nil, err
		}
		letters[n] = q.letter(task, job)
	}
	return letters, err
}

// letter has one attempt more than retries: asynq does not count the run that was the last.
func (q *queue) letter(task *asynq.TaskInfo, job kit.Job) kit.Letter {
	class, message := q.lastError(task.LastErr)
	return kit.Letter{
		ID:       task.ID,
		Key:      job.Key,
		Payload:  job.Raw,
		Attempts: task.Retried + 1,
		Error:    class,
		Message:  message,
		Died:     float64(task.LastFailedAt.Unix()),
	}
}

// lastError finds the class where the worker puts it into the text; of a panic asynq keeps the place and no class.
func (q *queue) lastError(text string) (class, message string) {
	if class, ok := asynqs[text]; ok {
		return class, text
	}
	class, message, found := strings.Cut(text, ": ")
	if q.knobs.ErrorText != "class" || !found || strings.Contains(class, " ") {
		return "", text
	}
	return class, message
}

// Replay puts a task of the archive back into the queue. It keeps its count of retries: one that had none left has one
// attempt more.
func (q *queue) Replay(_ context.Context, id string) (bool, error) {
	return q.end(id, q.inspector.RunTask)
}

// Discard deletes a task of the archive.
func (q *queue) Discard(_ context.Context, id string) (bool, error) {
	return q.end(id, q.inspector.DeleteTask)
}

// end does something to a task if it is in the archive; asynq would do it to one that waits for its retry, too.
func (q *queue) end(id string, how func(queue, id string) error) (bool, error) {
	task, err := q.inspector.GetTaskInfo(settings.Queue, id)
	switch {
	case errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound):
		return false, nil
	case err != nil:
		return false, err
	case task.State != asynq.TaskStateArchived:
		return false, nil
	}
	return true, how(settings.Queue, id)
}
