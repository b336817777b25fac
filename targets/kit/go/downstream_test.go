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
	if err := provider.Effect(context.Background(), Call{Key: "a", IdempotencyKey: "b"}); err != nil || got != [2]string{`{"key":"a"}`, "b"} {
		t.Fatal(got, err)
	}
}

func TestARefusalSaysItsStatusAndWhenToComeBack(t *testing.T) {
	provider, _ := downstream(t, func(writer http.ResponseWriter, _ *http.Request) {
		writer.Header().Set("Retry-After", "7")
		writer.WriteHeader(http.StatusTooManyRequests)
	})
	var failed *DownstreamFailed
	err := provider.Effect(context.Background(), Call{Key: "a"})
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
	if err := provider.Effect(context.Background(), Call{Key: "a", IdempotencyKey: "a"}); err != nil {
		t.Fatal(err)
	}
	var failed *DownstreamFailed
	if err := provider.Effect(context.Background(), Call{Key: "a", IdempotencyKey: "a"}); !errors.As(err, &failed) || failed.Status != 0 {
		t.Fatal(err)
	}
	server.Close()
	if calls.Load() != 2 {
		t.Fatal("calls:", calls.Load())
	}
}

func TestAKeyIsAskedForAsItIs(t *testing.T) {
	provider, _ := downstream(t, func(writer http.ResponseWriter, request *http.Request) {
		io.WriteString(writer, map[string]string{
			"/effects/a%2Fb%20%3F": `{"effects": 3}`, "/records/a": `{"version": 2}`, "/records/b": "-",
		}[request.URL.EscapedPath()])
	})
	effects, err := provider.Effects(context.Background(), "a/b ?")
	if effects != 3 || err != nil {
		t.Fatal(effects, err)
	}
	version, err := provider.Record(context.Background(), "a")
	if version != 2 || err != nil {
		t.Fatal(version, err)
	}
	var failed *DownstreamFailed
	if _, err := provider.Record(context.Background(), "b"); !errors.As(err, &failed) {
		t.Fatal(err)
	}
}
