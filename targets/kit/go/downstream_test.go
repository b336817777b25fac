package kit

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func downstream(t *testing.T, handler http.HandlerFunc) (*Downstream, *httptest.Server) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Setenv("HARNESS_DOWNSTREAM", server.URL)
	return NewDownstream(time.Second, 1), server
}

func TestAnEffectIsAskedForWithItsKey(t *testing.T) {
	var got [2]string
	provider, _ := downstream(t, func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		got = [2]string{string(body), request.Header.Get("Idempotency-Key")}
	})
	if err := provider.Effect(context.Background(), "a", "b"); err != nil || got != [2]string{`{"key":"a"}`, "b"} {
		t.Fatal(got, err)
	}
}

func TestARefusalSaysItsStatusAndWhenToComeBack(t *testing.T) {
	provider, _ := downstream(t, func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Retry-After", "7")
		writer.WriteHeader(http.StatusTooManyRequests)
	})
	var failed *DownstreamFailed
	err := provider.Effect(context.Background(), "a", "")
	if !errors.As(err, &failed) || *failed != (DownstreamFailed{Status: 429, RetryAfter: 7 * time.Second}) {
		t.Fatal(err)
	}
}

// net/http sends a POST with an Idempotency-Key a second time when a kept connection breaks; the kit must not.
func TestARequestWithoutAnswerIsNotSentAgain(t *testing.T) {
	var calls atomic.Int64
	provider, server := downstream(t, func(writer http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			return
		}
		connection, _, _ := writer.(http.Hijacker).Hijack()
		connection.(*net.TCPConn).SetLinger(0)
		connection.Close()
	})
	if err := provider.Effect(context.Background(), "a", "a"); err != nil {
		t.Fatal(err)
	}
	var failed *DownstreamFailed
	if err := provider.Effect(context.Background(), "a", "a"); !errors.As(err, &failed) || failed.Status != 0 {
		t.Fatal(err)
	}
	server.Close()
	if calls.Load() != 2 {
		t.Fatal("calls:", calls.Load())
	}
}
