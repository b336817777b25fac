package kit

import (
	"context"
	"errors"
	"reflect"
	"testing"
)

// slow is a queue that refuses, once it is let.
type slow struct {
	queue
	let, done chan struct{}
}

func (s *slow) Enqueue(ctx context.Context, jobs []Job) []Result {
	<-s.let
	defer close(s.done)
	return []Result{Unknown(jobs[0], errors.Join(errors.New("refused"), ctx.Err()))}
}

func TestWhatIsPublishedInTheBackgroundIsAckedBeforeTheQueueHasIt(t *testing.T) {
	slow := &slow{let: make(chan struct{}), done: make(chan struct{})}
	asking, left := context.WithCancel(context.Background())
	results := publishing{"background"}.enqueue(slow)(asking, []Job{{Key: "a"}})
	if !reflect.DeepEqual(results, []Result{{"a", "acked", ""}}) {
		t.Fatal(results)
	}
	left()
	close(slow.let)
	<-slow.done
}

func TestWhatIsConfirmedSaysWhatTheQueueSaid(t *testing.T) {
	slow := &slow{let: make(chan struct{}), done: make(chan struct{})}
	close(slow.let)
	results := publishing{"confirmed"}.enqueue(slow)(context.Background(), []Job{{Key: "a"}})
	if !reflect.DeepEqual(results, []Result{{"a", "unknown", "refused"}}) {
		t.Fatal(results)
	}
}
