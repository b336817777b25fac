package kit

import (
	"encoding/json"
	"errors"
)

// Job is one job of a request. Raw is all of it as it came, and what the queue should carry.
type Job struct {
	Key     string
	Work    Seconds
	Busy    Seconds
	Delay   Seconds
	Poison  string
	Version *int
	Raw     json.RawMessage
}

// UnmarshalJSON reads what a handler needs and keeps the whole.
func (j *Job) UnmarshalJSON(text []byte) error {
	type fields Job // without this method
	var known fields
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	if known.Key == "" {
		return errors.New("a job without a key")
	}
	*j = Job(known)
	j.Raw = append(json.RawMessage(nil), text...)
	return nil
}

// Result says what became of one job.
type Result struct {
	Key     string `json:"key"`
	Outcome string `json:"outcome"`
	Why     string `json:"why,omitempty"`
}

// Acked: the queue confirmed the job.
func Acked(job Job) Result { return Result{job.Key, "acked", ""} }

// Rejected: the queue certainly has not got the job.
func Rejected(job Job, why error) Result { return Result{job.Key, "rejected", why.Error()} }

// Unknown: nobody knows whether the queue has the job.
func Unknown(job Job, why error) Result { return Result{job.Key, "unknown", why.Error()} }
