package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// Queue is the job system as the producer shows it. Enqueue gives a result for each job.
type Queue interface {
	Enqueue(ctx context.Context, jobs []Job) []Result
	State(ctx context.Context) (map[string]int64, error)
	Held(ctx context.Context) ([]Held, error)
}

// Held is a job that the system still has, and where.
type Held struct {
	Key   string `json:"key"`
	Where string `json:"where"`
}

// Serve serves the producer on HARNESS_LISTEN until SIGTERM. A queue that is also Letters shows its dead letters.
func Serve(queue Queue) error {
	knobs, err := Knobs[publishing]()
	if err != nil {
		return err
	}
	stopped, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	server := &http.Server{Addr: os.Getenv("HARNESS_LISTEN"), Handler: routes(queue, knobs)}
	closed := context.AfterFunc(stopped, func() { server.Close() })
	defer closed()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func routes(queue Queue, knobs publishing) *http.ServeMux {
	mux := http.NewServeMux()
	enqueue := knobs.enqueue(queue)
	mux.HandleFunc("GET /health", answering(func(*http.Request) (any, error) { return struct{}{}, nil }))
	mux.HandleFunc("POST /jobs", answering(func(request *http.Request) (any, error) {
		var body struct{ Jobs []Job }
		if err := read(request, &body, `{"jobs": [{"key": "...", ...}]}`); err != nil {
			return nil, err
		}
		return map[string][]Result{"results": enqueue(request.Context(), body.Jobs)}, nil
	}))
	mux.HandleFunc("GET /state", answering(func(request *http.Request) (any, error) {
		return queue.State(request.Context())
	}))
	mux.HandleFunc("GET /held", answering(func(request *http.Request) (any, error) {
		held, err := queue.Held(request.Context())
		return map[string][]Held{"held": held}, err
	}))
	if letters, ok := queue.(Letters); ok {
		showLetters(mux, letters)
	}
	return mux
}

// badRequest is what the protocol does not allow; its text is the answer.
type badRequest struct{ error }

func read(request *http.Request, into any, expected string) error {
	if err := json.NewDecoder(request.Body).Decode(into); err != nil {
		return badRequest{fmt.Errorf(`expected %s: %w; see docs/target-protocol.md`, expected, err)}
	}
	return nil
}

// answering makes a handler of a function: an error becomes a 400 or a 500, and a line in the log.
func answering(function func(*http.Request) (any, error)) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		status := http.StatusOK
		body, err := function(request)
		if err != nil {
			status, body = statusOf(err), map[string]string{"error": err.Error()}
			log.Printf("%s %s: %v", request.Method, request.URL.Path, err)
		}
		if err := send(writer, status, body); err != nil {
			log.Printf("%s %s: the answer could not be sent: %v", request.Method, request.URL.Path, err)
		}
	}
}

// send gives the answer its length: net/http would send a long one in chunks.
func send(writer http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.Header().Set("Content-Length", strconv.Itoa(len(text)))
	writer.WriteHeader(status)
	_, err = writer.Write(text)
	return err
}

func statusOf(err error) int {
	if errors.As(err, &badRequest{}) {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}
