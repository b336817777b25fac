package kit

import (
	"context"
	"encoding/json"
	"net/http"
)

// Letters are the dead letters of a queue that keeps some. Replay and Discard say whether there was such a letter.
type Letters interface {
	Letters(ctx context.Context) ([]Letter, error)
	Replay(ctx context.Context, id string) (found bool, err error)
	Discard(ctx context.Context, id string) (found bool, err error)
}

// Letter is a job that was given up and can be looked at. What the system does not keep stays empty, and is left out.
type Letter struct {
	ID       string          `json:"id"`
	Key      string          `json:"key"`
	Payload  json.RawMessage `json:"payload,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	Error    string          `json:"error,omitempty"`
	Message  string          `json:"message,omitempty"`
	Died     float64         `json:"died,omitempty"`
}

type ending struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
}

func showLetters(mux *http.ServeMux, letters Letters) {
	mux.HandleFunc("GET /letters", answering(func(request *http.Request) (any, error) {
		all, err := letters.Letters(request.Context())
		return map[string][]Letter{"letters": all}, err
	}))
	mux.HandleFunc("POST /letters/replay", answering(ended(letters.Replay, "replayed")))
	mux.HandleFunc("POST /letters/discard", answering(ended(letters.Discard, "discarded")))
}

// ended does the same to each letter that the request names.
func ended(end func(context.Context, string) (bool, error), outcome string) func(*http.Request) (any, error) {
	return func(request *http.Request) (any, error) {
		var body struct{ IDs []string }
		if err := read(request, &body, `{"ids": ["...", ...]}`); err != nil {
			return nil, err
		}
		results := make([]ending, len(body.IDs))
		for n, id := range body.IDs {
			found, err := end(request.Context(), id)
			if err != nil {
				return nil, err
			}
			results[n] = ending{id, outcome}
			if !found {
				results[n].Outcome = "missing"
			}
		}
		return map[string][]ending{"results": results}, nil
	}
}
