package kit

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func lines(t *testing.T, folder string) []line {
	files, err := filepath.Glob(filepath.Join(folder, "worker-1.*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var events []line
	for _, written := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var event line
		if err := json.Unmarshal([]byte(written), &event); err != nil {
			t.Fatal(err)
		}
		event.Time = 0
		events = append(events, event)
	}
	return events
}

func more(error) bool { return false }

func TestEveryRunIsWrittenDownWithItsEnd(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HARNESS_EVENTS", folder)
	t.Setenv("HARNESS_WORKER", "worker-1")
	attempts, err := OpenAttempts()
	if err != nil {
		t.Fatal(err)
	}
	refused := &DownstreamFailed{Status: 503}
	attempts.Ready()
	attempts.Run("a", 1, more, func(*Run) error { return refused })
	attempts.Run("a", 2, more, func(run *Run) error { run.Dedup(); return nil })
	last := func(err error) bool { return errors.Is(err, refused) }
	if err := attempts.Run("b", 3, last, func(*Run) error { return refused }); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	var said []string
	for _, event := range lines(t, folder) {
		said = append(said, strings.Join([]string{event.Event, event.Key, event.Outcome, event.Note}, " "))
	}
	expected := "ready   |start a  |finish a failed DownstreamFailed|start a  |finish a done dedup|start b  |finish b dead DownstreamFailed"
	if strings.Join(said, "|") != expected {
		t.Fatal(said)
	}
}

func TestWithoutAFolderNothingIsWritten(t *testing.T) {
	t.Setenv("HARNESS_EVENTS", "")
	attempts, err := OpenAttempts()
	if err != nil || attempts.Run("a", 1, more, func(*Run) error { return nil }) != nil {
		t.Fatal(err)
	}
}
