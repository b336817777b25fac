package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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

// Downstream is the server of HARNESS_DOWNSTREAM, over connections that are kept, one for each job that runs.
type Downstream struct {
	url    string
	client *http.Client
}

// NewDownstream gives up on an answer after the timeout, and keeps as many connections as there are jobs at once.
func NewDownstream(timeout time.Duration, concurrency int) *Downstream {
	return &Downstream{
		url:    strings.TrimRight(os.Getenv("HARNESS_DOWNSTREAM"), "/") + "/effects",
		client: &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}},
	}
}

// Effect asks for the side effect once, never twice, with an Idempotency-Key unless that is empty; the error is a
// *DownstreamFailed unless it was confirmed.
func (d *Downstream) Effect(ctx context.Context, key, idempotencyKey string) error {
	request, err := d.request(ctx, key, idempotencyKey)
	if err != nil {
		return err
	}
	answer, err := d.client.Do(request)
	if err != nil {
		return &DownstreamFailed{Cause: err}
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return &DownstreamFailed{Cause: err}
	}
	if answer.StatusCode != http.StatusOK {
		return &DownstreamFailed{Status: answer.StatusCode, RetryAfter: seconds(answer.Header.Get("Retry-After"))}
	}
	return nil
}

// request hides from net/http how to read the body again: it takes an Idempotency-Key for leave to send a POST a
// second time on its own when a kept connection breaks.
func (d *Downstream) request(ctx context.Context, key, idempotencyKey string) (*http.Request, error) {
	body, err := json.Marshal(map[string]string{"key": key})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	request.ContentLength = int64(len(body))
	request.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
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
