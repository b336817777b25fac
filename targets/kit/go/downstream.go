package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// DownstreamFailed says that the effect was not confirmed. Status is 0 when no answer came: then it may have happened
// all the same.
type DownstreamFailed struct {
	Status     int
	RetryAfter time.Duration
	Cause      error
}

func (f *DownstreamFailed) Error() string {
	if f.Cause != nil {
		return f.Cause.Error()
	}
	return fmt.Sprintf("the downstream answered %d", f.Status)
}

func (f *DownstreamFailed) Unwrap() error { return f.Cause }

// Class is its name.
func (f *DownstreamFailed) Class() string { return "DownstreamFailed" }

// Call asks for a side effect; a version says which state of a record it acts on.
type Call struct {
	Key            string `json:"key"`
	Version        *int   `json:"version,omitempty"`
	IdempotencyKey string `json:"-"`
}

// Downstream is the server of HARNESS_DOWNSTREAM, over connections that are kept, one for each job that runs.
type Downstream struct {
	url    string
	client *http.Client
}

// NewDownstream gives up on an answer after the timeout, and keeps as many connections as there are jobs at once.
func NewDownstream(timeout time.Duration, concurrency int) *Downstream {
	return &Downstream{
		url:    strings.TrimRight(os.Getenv("HARNESS_DOWNSTREAM"), "/"),
		client: &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}},
	}
}

// Effect asks for the side effect once, never twice; the error is a *DownstreamFailed unless it was confirmed.
func (d *Downstream) Effect(ctx context.Context, call Call) error {
	request, err := d.request(ctx, call)
	if err != nil {
		return err
	}
	_, err = d.answer(request)
	return err
}

// Effects is how many side effects there were for a key.
func (d *Downstream) Effects(ctx context.Context, key string) (int, error) {
	var answer struct{ Effects int }
	err := d.get(ctx, "/effects/", key, &answer)
	return answer.Effects, err
}

// Record is the version that the record of a key has now.
func (d *Downstream) Record(ctx context.Context, key string) (int, error) {
	var answer struct{ Version int }
	err := d.get(ctx, "/records/", key, &answer)
	return answer.Version, err
}

func (d *Downstream) get(ctx context.Context, path, key string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+path+url.PathEscape(key), nil)
	if err != nil {
		return err
	}
	text, err := d.answer(request)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &DownstreamFailed{Status: http.StatusOK, Cause: err}
	}
	return nil
}

// answer is the body of a 200; anything else is a *DownstreamFailed.
func (d *Downstream) answer(request *http.Request) ([]byte, error) {
	answer, err := d.client.Do(request)
	if err != nil {
		return nil, &DownstreamFailed{Cause: err}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, &DownstreamFailed{Cause: err}
	}
	if answer.StatusCode != http.StatusOK {
		return nil, &DownstreamFailed{Status: answer.StatusCode, RetryAfter: seconds(answer.Header.Get("Retry-After"))}
	}
	return text, nil
}

// request hides from net/http how to read the body again: it takes an Idempotency-Key for leave to send a POST a
// second time on its own when a kept connection breaks.
func (d *Downstream) request(ctx context.Context, call Call) (*http.Request, error) {
	body, err := json.Marshal(call)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/effects", io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	request.ContentLength = int64(len(body))
	request.Header.Set("Content-Type", "application/json")
	if call.IdempotencyKey != "" {
		request.Header.Set("Idempotency-Key", call.IdempotencyKey)
	}
	return request, nil
}

func seconds(header string) time.Duration {
	whole, err := strconv.ParseUint(strings.TrimSpace(header), 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(whole) * time.Second
}
