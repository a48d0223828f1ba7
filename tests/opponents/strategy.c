/* A small strategy library of the course platform, good or bad: build it with -DBEHAVIOUR=PLAYS and so on.

   Its move depends on every stone, so that whoever knows the position can tell whether it does too. Before that it
   checks that what it is called with makes sense: where it does not, it plays in row 100 and beyond. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLAYS, CRASHES, HANGS, CHEATS, GIVES_NOTHING, PRIES, EATS, HANGS_WHEN_LOADED, CRASHES_WHEN_LOADED, ABORTS, CLINGS };

typedef struct {
    int x, y;
} Point;

static int known[2048], has_known; /* the board as it was after the last move */

static int top_of(int M, int N, const int *board, int column, int noX, int noY)
{
    int top = M, row;
    for (row = M - 1; row >= 0; row--) {
        if (row == noX && column == noY)
            top -= top == row + 1;
        else if (board[row * N + column])
            top = row;
    }
    return top;
}

/* 0, or what is wrong. */
static int wrong(int M, int N, const int *top, const int *board, int lastX, int lastY, int noX, int noY)
{
    int own = 0, other = 0, changed = 0, i;
    for (i = 0; i < M * N; i++) {
        if (board[i] < 0 || board[i] > 2) return 1;
        own += board[i] == 2;
        other += board[i] == 1;
        changed += has_known && board[i] != known[i];
    }
    for (i = 0; i < N; i++) {
        if (top[i] != top_of(M, N, board, i, noX, noY)) return 2;
        for (int row = 0; row < M; row++) /* nothing above the top, no hole below it but the forbidden cell */
            if ((board[row * N + i] != 0) != (row >= top[i] && !(row == noX && i == noY))) return 3;
    }
    if (other != own && other != own + 1) return 4;
    if (has_known && (changed != 1 || known[lastX * N + lastY] != 0)) return 5;
    if (own + other == 0 ? lastX != -1 || lastY != -1 : board[lastX * N + lastY] != 1) return 6;
    if ((noX < 0) != (noY < 0) || noX < -1 || noX >= M || noY >= N) return 7;
    return 0;
}

#ifndef PORT
#define PORT 9
#define SECRET "/etc/hostname"
#endif

static int found; /* what it could do that it should not, a bit each */

static void pry(void)
{
    const char *names[] = {"here", "/tmp/luozi-strategy-was-here", "/var/tmp/luozi-strategy-was-here", SECRET};
    printf("7 7\n");
    fflush(stdout);
    fprintf(stderr, "0 0\n");
    if (write(1, "3 3\n", 4) < 0) {}
    for (int i = 0; i < 4; i++) {
        int file = open(names[i], O_WRONLY | O_CREAT, 0666);
        if (file >= 0) found |= 1;
        if (file >= 0) close(file);
    }
    if (mkdir("folder", 0777) == 0) found |= 2;
    if (open(SECRET, O_RDONLY) >= 0) found |= 4;
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) found |= 8;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0) found |= 16;
    if (kill(getppid(), 0) == 0) found |= 32;
    if (getuid() == 0 || geteuid() == 0 || setuid(0) == 0) found |= 64;
    if (getenv("PATH") || getenv("HOME")) found |= 128;
    int memory = memfd_create("more", 0); /* memory that no limit of the address space counts */
    if (memory >= 0 && ftruncate(memory, 4096) == 0) found |= 256;
    if (memory >= 0) close(memory);
    execl("/bin/true", "true", (char *)NULL); /* if it can, it ends here */
}

__attribute__((constructor)) static void when_loaded(void)
{
    if (BEHAVIOUR == PRIES) pry();
    if (BEHAVIOUR == HANGS_WHEN_LOADED) pause();
    if (BEHAVIOUR == CLINGS) {
        prctl(PR_SET_PDEATHSIG, 0); /* nobody is to end it but itself */
        setsid();
    }
    if (BEHAVIOUR == CRASHES_WHEN_LOADED) raise(SIGSEGV);
}

Point *getPoint(int M, int N, const int *top, const int *board, int lastX, int lastY, int noX, int noY)
{
    static int asked;
    Point *point = malloc(sizeof *point);
    long sum = 0;
    int open_columns = 0, column, fault = wrong(M, N, top, board, lastX, lastY, noX, noY);
    asked++;
    if (BEHAVIOUR == CRASHES && asked == 2) raise(SIGSEGV);
    if ((BEHAVIOUR == HANGS || BEHAVIOUR == CLINGS) && asked == 2)
        for (;;) pause();
    if (BEHAVIOUR == ABORTS && asked == 2) abort();
    if (BEHAVIOUR == GIVES_NOTHING && asked == 2) return NULL;
    if (BEHAVIOUR == EATS && asked == 2) {
        volatile char *food = malloc((size_t)200 << 20);
        food[0] = 1; /* there is none */
    }
    for (int cell = 0; cell < M * N; cell++) sum += (long)(cell + 1) * board[cell];
    for (column = 0; column < N; column++) open_columns += top[column] > 0;
    long wanted = sum % open_columns;
    for (column = 0; top[column] == 0 || wanted--; column++) {}
    point->x = top[column] - 1;
    point->y = column;
    if (BEHAVIOUR == PRIES) pry();
    if (found) point->x = 200 + found;
    if (BEHAVIOUR == CHEATS && asked == 2) point->x = M - 1, point->y = lastY; /* onto a stone, or below one */
    if (fault) point->x = 100 + fault;
    memcpy(known, board, sizeof(int) * (size_t)(M * N));
    known[top[column] > 0 ? (top[column] - 1) * N + column : 0] = 2;
    has_known = 1;
    return point;
}

void clearPoint(Point *point) { free(point); }
