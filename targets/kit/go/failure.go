package kit

import (
	"errors"
	"fmt"
)

// The classes of error that a job which is poison fails with.
const (
	Permanent    = "Permanent"
	Unclassified = "Unclassified"
	Transient    = "Transient"
)

// Failure is an error of a class, as exceptions are elsewhere.
type Failure struct {
	Of   string
	Text string
}

func (f *Failure) Error() string { return f.Text }

// Class is its own.
func (f *Failure) Class() string { return f.Of }

// Class names the kind of an error: the class that it or one it wraps has, else its type.
func Class(failure error) string {
	var classed interface{ Class() string }
	if errors.As(failure, &classed) {
		return classed.Class()
	}
	return fmt.Sprintf("%T", failure)
}

// poisoned is the error that a job asks to fail with at this attempt.
func poisoned(job Job, attempt int) error {
	switch job.Poison {
	case "":
		return nil
	case "permanent":
		return &Failure{Permanent, "no retry can help"}
	case "unknown":
		return &Failure{Unclassified, "nobody knows whether a retry can help"}
	case "transient":
		if attempt > 2 {
			return nil
		}
		return &Failure{Transient, fmt.Sprintf("attempt %d fails, a later one will not", attempt)}
	}
	return fmt.Errorf("poison: expected permanent, unknown or transient, got %q; see docs/target-protocol.md", job.Poison)
}
