/* A small opponent that speaks GTP or Gomocup, well or badly: talker gtp|gomocup BEHAVIOUR [TRANSCRIPT]

   It plays well for one move; what the behaviour says happens at the second one. At Gomocup its move depends on every
   stone, so that whoever knows the position can tell whether it does too. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 2048

static const char *behaviour;
static FILE *transcript;
static int rows, columns, asked;
static int board[MOST]; /* Gomocup: 1 own, 2 the other's; GTP: whether a point was ever taken */

static int is(const char *name) { return strcmp(behaviour, name) == 0; }

#define FOOD ((size_t)200 << 20)

static void eat(void *food)
{
    for (size_t i = 0; i < FOOD; i += 1024) ((char *)food)[i] = 1;
}

static void misbehave(void)
{
    asked++;
    if (asked < 2) return;
    if (is("crashes")) raise(SIGSEGV);
    if (is("exits")) {
        fprintf(stderr, "first\nout of ideas\n");
        exit(3);
    }
    if (is("leaves")) exit(0);
    if (is("hangs")) pause();
    if (is("closes")) {
        close(1);
        pause();
    }
    if (is("floods"))
        for (;;) puts("MESSAGE I have so much to say");
    if (is("murmurs")) { /* as much as may be, in many lines that end nothing */
        printf("= D4\n");
        for (int i = 0; i < 60000; i++) printf("DEBUG so %05d\n", i);
        fflush(stdout);
        pause();
    }
    if (is("stutters"))
        for (;;) putchar('\n');
    if (is("drones"))
        for (;;) fputs("and on and on ", stdout);
    if (is("eats")) {
        eat(malloc(FOOD));
        pause();
    }
}

/* Something that keeps running, in a session of its own and nobody's child if it is to be hard to find. */
static void have_child(int hidden)
{
    pid_t child = fork();
    if (child != 0 && hidden) waitpid(child, NULL, 0);
    if (child != 0) return;
    if (hidden) {
        setsid();
        if (fork() != 0) _exit(0);
    }
    signal(SIGTERM, SIG_IGN);
    if (is("spills")) eat(malloc(FOOD));
    if (is("shares")) {
        int memory = shmget(IPC_PRIVATE, FOOD, 0600);
        void *food = shmat(memory, NULL, 0);
        shmctl(memory, IPC_RMID, NULL); /* it goes with its last user */
        eat(food);
    }
    for (;;) pause();
}

static void count(char digit, int times)
{
    while (times--) putchar(digit);
}

static char *next_line(void)
{
    static char line[4096];
    if (!fgets(line, sizeof line, stdin)) exit(0);
    line[strcspn(line, "\r\n")] = 0;
    if (transcript) {
        fprintf(transcript, "%s\n", line);
        fflush(transcript);
    }
    return line;
}

/* Gomocup ---------------------------------------------------------------------------------------------------------- */

static void brain_move(void)
{
    long sum = 0;
    int empty = 0, cell;
    misbehave();
    if (is("chats") || is("suggests")) printf("MESSAGE well...\r\n\r\nDEBUG depth 3\nUNKNOWN INFO time_left\n");
    for (cell = 0; cell < rows * columns; cell++) {
        sum += (long)(cell + 1) * board[cell];
        empty += board[cell] == 0;
    }
    long wanted = sum % empty;
    for (cell = 0; board[cell] || wanted--; cell++) {}
    if (asked >= 2 && is("cheats"))
        for (cell = 0; board[cell] == 0; cell++) {}
    board[cell] = 1;
    if (asked >= 2 && is("counts")) {
        count('9', 5000);
        putchar(',');
        count('9', 5000);
        putchar('\n');
    } else if (asked >= 2 && is("babbles"))
        puts("the middle, I think");
    else if (asked >= 2 && is("fails"))
        puts("ERROR I have lost the thread");
    else if (asked >= 2 && is("strays"))
        printf("%d,%d\n", columns, 0);
    else
        printf("%s%d,%d%s", asked >= 2 && is("suggests") ? "SUGGEST " : "", cell % columns, cell / columns,
               is("returns") ? "\r" : is("chats") ? "\r\n" : "\n");
}

static void read_board(void)
{
    int x, y, field;
    memset(board, 0, sizeof board);
    while (sscanf(next_line(), "%d,%d,%d", &x, &y, &field) == 3) board[y * columns + x] = field;
    brain_move();
}

static void play_gomocup(void)
{
    for (;;) {
        int x, y;
        char *line = next_line();
        if (sscanf(line, "START %d", &rows) == 1) {
            columns = rows;
            puts(is("refuses") ? "ERROR too large" : "OK - at your service");
        } else if (sscanf(line, "RECTSTART %d,%d", &columns, &rows) == 2)
            puts(is("refuses") ? "UNKNOWN" : "OK");
        else if (sscanf(line, "TURN %d,%d", &x, &y) == 2) {
            board[y * columns + x] = 2;
            brain_move();
        } else if (strcmp(line, "BEGIN") == 0)
            brain_move();
        else if (strcmp(line, "BOARD") == 0)
            read_board();
        else if (strcmp(line, "END") == 0 && !is("lingers"))
            exit(0);
        fflush(stdout);
    }
}

/* GTP -------------------------------------------------------------------------------------------------------------- */

static const char *letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

static int point_of(const char *name)
{
    const char *letter = strchr(letters, toupper(name[0]));
    return strcasecmp(name, "pass") == 0 || !letter ? -1 : (atoi(name + 1) - 1) * columns + (int)(letter - letters);
}

/* Beside a point that was never taken there is always room to breathe, and nothing can be repeated. */
static int is_fresh(int point)
{
    int x = point % columns, y = point / columns;
    int room = (x > 0 && !board[point - 1]) || (x + 1 < columns && !board[point + 1]) ||
               (y > 0 && !board[point - columns]) || (y + 1 < columns && !board[point + columns]);
    return !board[point] && room;
}

static void engine_move(void)
{
    int point = 0;
    misbehave();
    while (point < columns * columns && !is_fresh(point)) point++;
    if (asked >= 2 && is("cheats")) point = 0; /* where its first stone is */
    if (asked >= 2 && is("resigns"))
        printf("= resign\n\n");
    else if (asked >= 2 && is("counts")) {
        printf("= A");
        count('9', 5000);
        printf("\n\n");
    } else if (asked >= 2 && is("babbles"))
        printf("= the middle, I think\n\n");
    else if (asked >= 2 && is("forgets"))
        printf("D4, please\n\n");
    else if (asked >= 2 && is("fails"))
        printf("? I have lost the thread\n\n");
    else if (point == columns * columns)
        printf("= PASS\n\n");
    else {
        board[point] = 1;
        printf(is("returns") ? "=%c%d\r\n\r\n" : "= %c%d\n\n", letters[point % columns], point / columns + 1);
    }
}

static void play_gtp(void)
{
    for (;;) {
        char *line = next_line(), *word = strtok(line, " ");
        if (!word) continue;
        if (strcmp(word, "genmove") == 0)
            engine_move();
        else if (strcmp(word, "boardsize") == 0 && is("refuses"))
            printf("? unacceptable size\n\n");
        else if (strcmp(word, "known_command") == 0)
            printf("= false\n\n");
        else if (strcmp(word, "set_free_handicap") == 0 && is("plain"))
            printf("? unknown command\n\n");
        else {
            if (strcmp(word, "boardsize") == 0) columns = atoi(strtok(NULL, " "));
            if (strcmp(word, "clear_board") == 0) memset(board, 0, sizeof board);
            if (strcmp(word, "play") == 0) strtok(NULL, " ");
            if (strcmp(word, "play") == 0 || strcmp(word, "set_free_handicap") == 0)
                for (char *name; (name = strtok(NULL, " "));)
                    if (point_of(name) >= 0) board[point_of(name)] = 1;
            printf("=\n\n");
            if (strcmp(word, "quit") == 0 && !is("lingers")) exit(0);
        }
        fflush(stdout);
    }
}

int main(int count, char **words)
{
    behaviour = words[2];
    transcript = count > 3 ? fopen(words[3], "a") : NULL;
    if (is("has-child")) have_child(0);
    if (is("scatters") || is("spills") || is("shares")) have_child(1);
    if (strcmp(words[1], "gtp") == 0)
        play_gtp();
    else
        play_gomocup();
}
