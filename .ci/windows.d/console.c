/* usage: console.exe interrupt|close FILE PROGRAM
 * Runs PROGRAM on this program's pipes and on a console of their own. Once FILE exists, presses Ctrl-C in that console or
 * closes its window; ends with PROGRAM's exit code. (Wine 8 knows no Ctrl-Break.) */
#include <windows.h>
#include <wchar.h>

static BOOL WINAPI survive(DWORD event) { (void)event; return TRUE; }

int wmain(int count, wchar_t **words) {
    STARTUPINFOW start = { .cb = sizeof start };
    PROCESS_INFORMATION program;
    wchar_t line[4096];
    DWORD code = 99;
    if (count != 4) return 98;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    FreeConsole(); /* that of a program without a terminal takes no events */
    if (!AllocConsole() || !SetConsoleCtrlHandler(survive, TRUE)) return 95;
    _snwprintf(line, 4096, L"\"%ls\"", words[3]);
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &program)) return 97;
    while (GetFileAttributesW(words[2]) == INVALID_FILE_ATTRIBUTES) Sleep(20);
    if (words[1][0] == L'i' ? !GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)
                            : !PostMessageW(GetConsoleWindow(), WM_CLOSE, 0, 0)) return 96;
    WaitForSingleObject(program.hProcess, INFINITE);
    GetExitCodeProcess(program.hProcess, &code);
    return (int)code;
}
