#include "TestThreads.h"

#include <pthread.h>
#include <stdlib.h>

// The part of the Swift runtime's interface that lets a program run async code on its own threads.
typedef struct SwiftJob SwiftJob;
#define SWIFT_CALL __attribute__((swiftcall))
typedef SWIFT_CALL void Enqueue(SwiftJob *job);
typedef SWIFT_CALL void EnqueueHook(SwiftJob *job, Enqueue *original);
extern EnqueueHook *swift_task_enqueueGlobal_hook;
// The last two arguments are an executor; zeros are the global one.
SWIFT_CALL void swift_job_run(SwiftJob *job, void *executor, void *implementation);

enum { limit = 64 };

struct waiting_job {
    SwiftJob *job;
    struct waiting_job *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static struct waiting_job *first, **end = &first;
static int waiting, idle, threads;

static void *run_jobs(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&mutex);
        idle++;
        while (!first) pthread_cond_wait(&arrival, &mutex);
        idle--;
        waiting--;
        struct waiting_job *taken = first;
        first = taken->next;
        if (!first) end = &first;
        pthread_mutex_unlock(&mutex);
        SwiftJob *job = taken->job;
        free(taken);
        swift_job_run(job, NULL, NULL);
    }
    return NULL;
}

static SWIFT_CALL void enqueue(SwiftJob *job, Enqueue *original) {
    struct waiting_job *added = malloc(sizeof *added);
    if (!added) return original(job);
    *added = (struct waiting_job){job, NULL};
    pthread_mutex_lock(&mutex);
    *end = added;
    end = &added->next;
    waiting++;
    int is_thread_needed = waiting > idle && threads < limit;
    if (is_thread_needed) threads++;
    pthread_cond_signal(&arrival);
    pthread_mutex_unlock(&mutex);
    pthread_t thread;
    if (is_thread_needed && pthread_create(&thread, NULL, run_jobs, NULL) == 0) pthread_detach(thread);
}

void use_test_threads(void) { swift_task_enqueueGlobal_hook = enqueue; }
