package kit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

type queue struct{ jobs []Job }

func (q *queue) Enqueue(_ context.Context, jobs []Job) []Result {
	q.jobs = jobs
	return []Result{Acked(jobs[0]), Unknown(jobs[1], errors.New("timeout"))}
}

func (q *queue) State(context.Context) (map[string]int64, error) { return nil, errors.New("no Redis") }

func (q *queue) Held(context.Context) ([]Held, error) {
	return []Held{{strings.Repeat("x", 9000), "dead"}}, nil
}

func ask(t *testing.T, method, path, body string, queue Queue) (int, string, int64) {
	server := httptest.NewServer(routes(queue, publishing{}))
	t.Cleanup(server.Close)
	request, _ := http.NewRequest(method, server.URL+path, strings.NewReader(body))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), answer.ContentLength
}

func TestJobsKeepTheirFieldsAndGetAResultEach(t *testing.T) {
	queue := &queue{}
	body := `{"jobs":[{"key":"a","work":0.5,"more":1},{"key":"b"}]}`
	status, text, _ := ask(t, "POST", "/jobs", body, queue)
	expected := `{"results":[{"key":"a","outcome":"acked"},{"key":"b","outcome":"unknown","why":"timeout"}]}`
	if status != 200 || text != expected {
		t.Fatal(status, text)
	}
	if first := queue.jobs[0]; first.Work != 0.5 || string(first.Raw) != `{"key":"a","work":0.5,"more":1}` {
		t.Fatal(first)
	}
}

func TestAWrongRequestIsAnsweredWithWhatWasWrong(t *testing.T) {
	status, text, _ := ask(t, "POST", "/jobs", `{"jobs":[{"work":1}]}`, &queue{})
	if status != 400 || !strings.Contains(text, "a job without a key") {
		t.Fatal(status, text)
	}
}

func TestWhatTheQueueCannotSayIsAnError(t *testing.T) {
	if status, text, _ := ask(t, "GET", "/state", "", &queue{}); status != 500 || text != `{"error":"no Redis"}` {
		t.Fatal(status, text)
	}
}

func TestALongAnswerHasALength(t *testing.T) {
	if _, text, length := ask(t, "GET", "/held", "", &queue{}); length != int64(len(text)) || length < 9000 {
		t.Fatal(length)
	}
}
