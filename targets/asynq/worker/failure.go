package main

import (
	"github.com/hibiken/asynq"

	"jobharness/kit"
)

// failure is an error as asynq is told of it: it keeps the text, and looks for a word of its own among what is wrapped.
type failure struct {
	text  string
	wraps []error
}

func (f failure) Error() string { return f.text }

func (f failure) Unwrap() []error { return f.wraps }

// told says what asynq is to do about an error: to retry, or after the last one to archive the task or to forget it.
func (h *handler) told(err error, last func(error) bool) error {
	if err == nil {
		return nil
	}
	told := failure{err.Error(), []error{err}}
	if h.knobs.ErrorText == "class" {
		told.text = kit.Class(err) + ": " + told.text
	}
	switch {
	case !last(err):
	case h.knobs.OutOfRetries == "revoke":
		told.wraps = append(told.wraps, asynq.RevokeTask)
	default:
		told.wraps = append(told.wraps, asynq.SkipRetry)
	}
	return told
}
