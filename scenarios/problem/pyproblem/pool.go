package pyproblem

import (
	"sync"
	"time"
)

// Pool lends objects of a class that are alike, so that callers can use any of them. There are
// as many as are in use at once. It is safe for concurrent use.
type Pool struct {
	program   *Program
	class     string
	arguments map[string]any
	mu        sync.Mutex
	idle      []*Object
	timer     *time.Timer // releases idle objects
}

// Pool returns an empty pool of objects that are made with the same keyword arguments.
func (p *Program) Pool(class string, arguments map[string]any) *Pool {
	return &Pool{program: p, class: class, arguments: arguments}
}

// Take lends an object, for calls of the caller alone until Give.
func (p *Pool) Take() *Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return p.program.Object(p.class, p.arguments)
	}
	object := p.idle[last]
	p.idle = p.idle[:last]
	return object
}

// Give takes an object back. An object that has lost its child is not lent again, and an
// object that is idle for a while is released.
func (p *Pool) Give(o *Object) {
	if o.Lost() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, o)
	if p.timer == nil {
		p.timer = time.AfterFunc(idleTime, p.Rest)
		return
	}
	p.timer.Reset(idleTime)
}

// Rest releases the idle objects.
func (p *Pool) Rest() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, object := range idle {
		object.Release()
	}
}
