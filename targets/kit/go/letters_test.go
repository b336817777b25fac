package kit

import (
	"context"
	"encoding/json"
	"testing"
)

// archive is a queue with one dead letter, whose id is x.
type archive struct {
	queue
	ended []string
}

func (a *archive) Letters(context.Context) ([]Letter, error) {
	payload := json.RawMessage(`{"key":"a","work":0.5}`)
	return []Letter{{"x", "a", payload, 3, "Permanent", "no", 1700000000.5}, {ID: "y", Key: "b"}}, nil
}

func (a *archive) Replay(_ context.Context, id string) (bool, error) { return a.end("replay", id) }

func (a *archive) Discard(_ context.Context, id string) (bool, error) { return a.end("discard", id) }

func (a *archive) end(how, id string) (bool, error) {
	a.ended = append(a.ended, how+" "+id)
	return id == "x", nil
}

func TestDeadLettersAreShownReplayedAndDiscarded(t *testing.T) {
	letters := &archive{}
	for _, expected := range [][4]string{
		{"GET", "/letters", "", `{"letters":[{"id":"x","key":"a","payload":{"key":"a","work":0.5},"attempts":3,"error":"Permanent","message":"no","died":1700000000.5},{"id":"y","key":"b"}]}`},
		{"POST", "/letters/replay", `{"ids":["x","z"]}`, `{"results":[{"id":"x","outcome":"replayed"},{"id":"z","outcome":"missing"}]}`},
		{"POST", "/letters/discard", `{"ids":["x"]}`, `{"results":[{"id":"x","outcome":"discarded"}]}`},
	} {
		if status, text, _ := ask(t, expected[0], expected[1], expected[2], letters); status != 200 || text != expected[3] {
			t.Error(expected, status, text)
		}
	}
	if len(letters.ended) != 3 || letters.ended[2] != "discard x" {
		t.Fatal(letters.ended)
	}
}

func TestAQueueWithoutLettersHasNoSuchPage(t *testing.T) {
	if status, _, _ := ask(t, "GET", "/letters", "", &queue{}); status != 404 {
		t.Fatal(status)
	}
}
