package kit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"testing"
	"time"
)

// did does one job at a downstream where the record of every key has version 2, and effects were had; it says what was
// asked there, and how the run ended.
func did(t *testing.T, knobs Handling, effects, attempt int, text string) (asked []string, note string, err error) {
	provider, _ := downstream(t, func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		asked = append(asked, request.URL.Path+string(body)+request.Header.Get("Idempotency-Key"))
		json.NewEncoder(writer).Encode(map[string]int{"version": 2, "effects": effects})
	})
	var job Job
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		t.Fatal(err)
	}
	run := &Run{Attempt: attempt}
	err = (&Handler{knobs, provider}).Do(context.Background(), job, run)
	return asked, run.note, err
}

func TestTheEffectIsAskedForAsTheKnobsSay(t *testing.T) {
	for _, expected := range []struct {
		knobs            Handling
		effects, attempt int
		job              string
		asked            []string
		note             string
	}{
		{Handling{Idempotency: "none"}, 0, 1, `{"key":"a"}`, []string{`/effects{"key":"a"}`}, ""},
		{Handling{Idempotency: "unique"}, 0, 1, `{"key":"a"}`, []string{`/effects{"key":"a"}a`}, ""},
		{Handling{Idempotency: "reconcile"}, 1, 1, `{"key":"a"}`, []string{`/effects{"key":"a"}`}, ""},
		{Handling{Idempotency: "reconcile"}, 0, 2, `{"key":"a"}`, []string{`/effects/a`, `/effects{"key":"a"}`}, ""},
		{Handling{Idempotency: "reconcile"}, 1, 2, `{"key":"a"}`, []string{`/effects/a`}, "dedup"},
		{Handling{Record: "current"}, 0, 1, `{"key":"a","version":1}`, []string{`/records/a`, `/effects{"key":"a","version":2}`}, ""},
		{Handling{Record: "snapshot"}, 0, 1, `{"key":"a","version":1}`, []string{`/effects{"key":"a","version":1}`}, ""},
	} {
		asked, note, err := did(t, expected.knobs, expected.effects, expected.attempt, expected.job)
		if err != nil || note != expected.note || !reflect.DeepEqual(asked, expected.asked) {
			t.Error(expected, asked, note, err)
		}
	}
}

func TestAFreshKeyIsAnotherEachTime(t *testing.T) {
	first, _, _ := did(t, Handling{Idempotency: "fresh"}, 0, 1, `{"key":"a"}`)
	second, _, _ := did(t, Handling{Idempotency: "fresh"}, 0, 2, `{"key":"a"}`)
	if len(first[0]) < 30 || first[0] == second[0] {
		t.Fatal(first, second)
	}
}

func TestPoisonFailsBeforeTheEffect(t *testing.T) {
	for _, expected := range []struct {
		poison, class string
		attempt       int
		hopeless      bool
	}{
		{"permanent", "Permanent", 3, true},
		{"unknown", "Unclassified", 3, false},
		{"transient", "Transient", 2, false},
	} {
		asked, _, err := did(t, Handling{}, 0, expected.attempt, `{"key":"a","poison":"`+expected.poison+`"}`)
		if len(asked) > 0 || err == nil || Class(err) != expected.class || (Handling{Classify: true}).Hopeless(err) != expected.hopeless {
			t.Error(expected, asked, err)
		}
		if (Handling{}).Hopeless(err) {
			t.Error("nobody tells errors apart, and yet gives up on", err)
		}
	}
	if asked, _, err := did(t, Handling{}, 0, 3, `{"key":"a","poison":"transient"}`); len(asked) != 1 || err != nil {
		t.Fatal(asked, err)
	}
	if _, _, err := did(t, Handling{}, 0, 1, `{"key":"a","poison":"arsenic"}`); err == nil {
		t.Fatal("a poison that nobody knows")
	}
}

func TestWorkWaitsAndComputes(t *testing.T) {
	began := time.Now()
	if _, _, err := did(t, Handling{}, 0, 1, `{"key":"a","work":0.02,"busy":0.03}`); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 50*time.Millisecond {
		t.Fatal(took)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := (&Handler{}).Do(stopped, Job{Work: 3600}, &Run{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestRetryAfterIsAskedOfWhoHonoursIt(t *testing.T) {
	refused := errors.Join(&DownstreamFailed{Status: 429, RetryAfter: 7 * time.Second})
	heeded, ignored := (Handling{HonourRetryAfter: true}).Asked(refused), (Handling{}).Asked(refused)
	if heeded != 7*time.Second || ignored != 0 {
		t.Fatal(heeded, ignored)
	}
}
