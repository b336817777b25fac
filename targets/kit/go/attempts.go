package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// Attempts appends what this worker does to its event file; without HARNESS_EVENTS it records nothing.
type Attempts struct {
	file   *os.File
	worker string
	pid    int
	born   int64
	count  atomic.Int64
}

// Run is one call of the handler.
type Run struct {
	Attempt int
	note    string
}

// Dedup says that an earlier run had done the work: this one does nothing.
func (r *Run) Dedup() { r.note = "dedup" }

// line is an event as docs/history.md has it.
type line struct {
	Event   string `json:"e"`
	Time    int64  `json:"t"`
	Worker  string `json:"worker"`
	Pid     int    `json:"pid"`
	Key     string `json:"key,omitempty"`
	Run     string `json:"run,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Note    string `json:"note,omitempty"`
}

// OpenAttempts opens the event file of this process.
func OpenAttempts() (*Attempts, error) {
	attempts := &Attempts{worker: os.Getenv("HARNESS_WORKER"), pid: os.Getpid(), born: time.Now().UnixNano()}
	folder := os.Getenv("HARNESS_EVENTS")
	if folder == "" {
		return attempts, nil
	}
	name := filepath.Join(folder, fmt.Sprintf("%s.%d.jsonl", attempts.worker, attempts.pid))
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	attempts.file = file
	return attempts, err
}

// Ready says that this worker consumes from now on.
func (a *Attempts) Ready() error { return a.write(line{Event: "ready"}) }

// Run writes `start`, calls the handler, then writes `finish`: done, or after an error failed, or dead if such an error
// is the last. It returns the handler's error; a line that cannot be written is an error too.
func (a *Attempts) Run(key string, attempt int, last func(error) bool, handler func(*Run) error) error {
	// The pid alone would repeat in a container, so the file's birth is part of a run's name.
	name := fmt.Sprintf("%d.%x.%d", a.pid, a.born, a.count.Add(1))
	if err := a.write(line{Event: "start", Key: key, Run: name, Attempt: attempt}); err != nil {
		return err
	}
	run := &Run{Attempt: attempt}
	failure := handler(run)
	end := line{Event: "finish", Key: key, Run: name, Outcome: outcome(failure, last), Note: run.note}
	if failure != nil && end.Note == "" {
		end.Note = Class(failure)
	}
	if err := a.write(end); err != nil {
		return errors.Join(failure, err)
	}
	return failure
}

func outcome(failure error, last func(error) bool) string {
	switch {
	case failure == nil:
		return "done"
	case last(failure):
		return "dead"
	}
	return "failed"
}

// write appends one whole line with one write, which survives the death of this process.
func (a *Attempts) write(event line) error {
	if a.file == nil {
		return nil
	}
	event.Time, event.Worker, event.Pid = time.Now().UnixNano(), a.worker, a.pid
	text, err := json.Marshal(event)
	if err != nil {
		return err
	}
	_, err = a.file.Write(append(text, '\n'))
	return err
}
