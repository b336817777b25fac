// Package kit is what a target written in Go is made with: its knobs, its attempt lines, what its handler does, its call
// to the downstream, and the producer's HTTP server. It needs nothing but the standard library.
package kit

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"
)

// Seconds is a knob of the unit `duration`.
type Seconds float64

// Duration is the same length of time as Go has it.
func (s Seconds) Duration() time.Duration {
	return time.Duration(float64(s) * float64(time.Second))
}

// Knobs reads HARNESS_KNOBS into a struct with a `json` tag for each knob of target.yaml.
func Knobs[T any]() (T, error) {
	var knobs T
	if err := json.Unmarshal([]byte(os.Getenv("HARNESS_KNOBS")), &knobs); err != nil {
		return knobs, fmt.Errorf("HARNESS_KNOBS: %w; see docs/target-protocol.md", err)
	}
	return knobs, nil
}

// Concurrency is how many jobs this worker may run at once: HARNESS_CONCURRENCY, else the knob.
func Concurrency(knob int) int {
	if given, err := strconv.Atoi(os.Getenv("HARNESS_CONCURRENCY")); err == nil {
		return given
	}
	return knob
}
