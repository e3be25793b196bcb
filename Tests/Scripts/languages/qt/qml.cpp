// Uses QML without a word of the library, for test_qt.py: runs the file that its first argument names, which prints its
// observations.

#include <QCoreApplication>
#include <QQmlApplicationEngine>

#include <cstdio>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &, const QString &text) {
        // console.log() is the output of the program; the rest are problems.
        std::FILE *stream = type == QtDebugMsg ? stdout : stderr;
        std::fprintf(stream, "%s\n", qUtf8Printable(text));
        std::fflush(stream);
    });
    QQmlApplicationEngine engine;
    engine.load(QUrl::fromLocalFile(application.arguments().at(1)));
    return engine.rootObjects().isEmpty() ? 1 : application.exec();
}
