package kit

import (
	"context"
	"log"
)

// publishing is the knob of every producer.
type publishing struct {
	Publish string `json:"publish"`
}

// enqueue answers when the queue has, or in the background at once.
func (p publishing) enqueue(queue Queue) func(context.Context, []Job) []Result {
	if p.Publish != "background" {
		return queue.Enqueue
	}
	return func(ctx context.Context, jobs []Job) []Result {
		go publish(context.WithoutCancel(ctx), queue, jobs)
		results := make([]Result, len(jobs))
		for n, job := range jobs {
			results[n] = Acked(job)
		}
		return results
	}
}

// publish enqueues once; by now nobody waits to hear what became of it.
func publish(ctx context.Context, queue Queue, jobs []Job) {
	for _, result := range queue.Enqueue(ctx, jobs) {
		if result.Outcome != "acked" {
			log.Printf("published in the background: %s: %s: %s", result.Key, result.Outcome, result.Why)
		}
	}
}
